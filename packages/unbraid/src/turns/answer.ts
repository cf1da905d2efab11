// One response, kept in the order of its pieces, so that it can be said again. Owns the fold; knows no vendor's form.

import { isClientKind } from "../kinds.ts";
import type { FinishReason, StreamEvent, ToolCall, WireError, WireVariant } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";

/** One piece of an answer. */
export type AnswerItem =
  | { readonly type: "text"; readonly text: string; readonly refusal?: true }
  | { readonly type: "reasoning"; readonly text: string; readonly field?: string }
  | { readonly type: "part"; readonly part: unknown }
  | { readonly type: "call"; readonly call: ToolCall };

/** One response of a model: its pieces in the order in which they began. */
export interface Answer {
  /** The wire it came from. */
  readonly protocol: ProtocolName;
  /** Which of the vendor's wires, where the protocol's name covers several; absent for its first. */
  readonly variant?: WireVariant;
  /** What is known of the response. */
  readonly response: { readonly id?: string; readonly model?: string };
  /** Text, reasoning, parts and closed calls that were not taken back. */
  readonly items: readonly AnswerItem[];
  /** The keys of calls that the session shows as answered. */
  readonly answered: readonly string[];
  /** Null where the wire had no terminal signal. */
  readonly finish: FinishReason | null;
  /** The wire's own first finish word. */
  readonly rawFinish: string | null;
  /** What went wrong. */
  readonly error: WireError | null;
}

/**
 * The calls that need a result before the history may go on: calls of the client's tools, whether they can run or not,
 * and questions whether the vendor may run one, that the session does not show as answered. In order of first sight.
 *
 * Each form echoes exactly these, and what the vendor ran itself.
 *
 * @example
 * const results = pending(answer).map((call) => ({ call, content: [{ type: "text", text: run(call) }] }));
 */
export function pending(answer: Answer): readonly ToolCall[] {
  const answered = new Set(answer.answered);
  return answer.items.flatMap((item) => (item.type === "call" && needsResult(item.call, answered) ? [item.call] : []));
}

/** Whether a call is the client's to answer, and not answered. */
export function needsResult(call: ToolCall, answered: ReadonlySet<string>): boolean {
  return (isClientKind(call.kind) || call.kind === "mcp-approval") && !answered.has(call.key);
}

/**
 * The answer with the one reading of each malformed call in its place, where there is one: the call is complete then,
 * and echoed so. Only for users who allowed it, and the model must be told.
 *
 * @param answer An answer.
 * @param which Picks calls; every call that has a reading where it is absent.
 * @example
 * const answer = withRepairs(collector.answer);
 */
export function withRepairs(answer: Answer, which: (call: ToolCall) => boolean = () => true): Answer {
  return {
    ...answer,
    items: answer.items.map((item) =>
      item.type === "call" ? { type: "call", call: repaired(item.call, which) } : item,
    ),
  };
}

function repaired(call: ToolCall, which: (call: ToolCall) => boolean): ToolCall {
  const { problem: _, repair, ...rest } = call;
  if (call.status !== "malformed" || repair === undefined || call.name === "" || !which(call)) return call;
  return { ...rest, status: "complete", argumentsText: repair.argumentsText, arguments: repair.arguments, repair };
}

/** An answer while it is being collected. */
interface Draft {
  response: Answer["response"];
  variant: WireVariant | undefined;
  /** In the order in which they began. A call's place is kept from its start; it counts once it is closed. */
  readonly pieces: Piece[];
  readonly calls: Map<string, CallPiece>;
  readonly answered: Set<string>;
  finish: FinishReason | null;
  rawFinish: string | null;
  error: WireError | null;
}

/** A text grows as a string: the engine joins its fragments once, when somebody looks into it. */
interface TextPiece {
  readonly type: "text" | "reasoning";
  text: string;
  readonly refusal: boolean;
  readonly field: string | undefined;
}

interface CallPiece {
  readonly type: "call";
  call: ToolCall | undefined;
}

type Piece = TextPiece | CallPiece | { readonly type: "part"; readonly part: unknown };

/**
 * Folds events to answers, in the order of their pieces. What comes behind a response's finish begins another answer, so
 * that a session gives one for each of its responses; responses that are open side by side (`at.lane`) do not mix.
 *
 * @example
 * const collector = new AnswerCollector("anthropic");
 * for await (const event of anthropic.read(response)) collector.add(event);
 * const messages = [...history, ...anthropicTurns.assistant(collector.answer)];
 */
export class AnswerCollector {
  readonly #protocol: ProtocolName;
  readonly #choice: number;
  readonly #drafts: Draft[] = [];
  /** The draft that holds each call, by the call's key, and the keys of each id's calls. */
  readonly #holders: Map<string, Draft> = new Map();
  readonly #keys: Map<string, string[]> = new Map();
  /** The draft that is open on each lane. */
  readonly #open: Map<string, Draft> = new Map();

  /**
   * Begins without an answer.
   *
   * @param protocol The wire that is read: `reader.protocol`.
   * @param options `choice`: which of several candidate answers is kept; default 0.
   */
  constructor(protocol: ProtocolName, options: { readonly choice?: number } = {}) {
    this.#protocol = protocol;
    this.#choice = options.choice ?? 0;
  }

  /**
   * Takes one event.
   *
   * @returns The answer, if the event ended it.
   */
  add(event: StreamEvent): Answer | undefined {
    if (event.type === "finish") return this.#finish(event);
    this.#take(event);
    return undefined;
  }

  #take(event: StreamEvent): void {
    switch (event.type) {
      case "response":
        return this.#respond(event);
      case "text":
      case "reasoning":
        if (event.choice === this.#choice) this.#say(event);
        return;
      case "part":
        // A part that was nested too deep to be kept is null.
        if (event.choice === this.#choice && typeof event.part === "object" && event.part !== null)
          this.#draft(event).pieces.push({ type: "part", part: event.part });
        return;
      case "call.start":
        if (event.call.choice === this.#choice) this.#start(event.call.key, this.#draft(event));
        return;
      case "call.close":
        if (event.call.choice === this.#choice) this.#close(event.call, this.#draft(event));
        return;
      case "call.retract":
        return this.#retract(event.call.key);
      case "call.answered":
        for (const key of this.#keys.get(event.id) ?? []) this.#holders.get(key)?.answered.add(key);
        return;
      case "error":
        return this.#fail(event);
      case "finish":
      case "usage":
      case "notice":
      case "call.append":
      case "call.replace":
    }
  }

  /** Every answer so far, in the order in which they began; the last may still be open. */
  get answers(): readonly Answer[] {
    return this.#drafts.map((draft) => this.#answer(draft));
  }

  /** The answer that began last; an empty one before any has. */
  get answer(): Answer {
    const last = this.#drafts.at(-1);
    return this.#answer(last ?? emptyDraft());
  }

  #draft({ at: { lane = "" } }: StreamEvent): Draft {
    const open = this.#open.get(lane);
    if (open !== undefined) return open;
    const draft = emptyDraft();
    this.#drafts.push(draft);
    this.#open.set(lane, draft);
    return draft;
  }

  #respond(event: Extract<StreamEvent, { type: "response" }>): void {
    const draft = this.#draft(event);
    const { id, model, variant } = event;
    // Another try has taken the response's place amid its stream: what it had said is void.
    if (draft.response.id !== undefined && id !== undefined && id !== draft.response.id) draft.pieces.length = 0;
    draft.response = { ...(id === undefined ? {} : { id }), ...(model === undefined ? {} : { model }) };
    draft.variant = variant;
  }

  #say(event: Extract<StreamEvent, { type: "text" | "reasoning" }>): void {
    const { pieces } = this.#draft(event);
    const refusal = event.type === "text" && event.refusal === true;
    const field = event.type === "reasoning" ? event.field : undefined;
    const last = pieces.at(-1);
    if (last?.type === event.type && last.refusal === refusal && last.field === field) last.text += event.text;
    else pieces.push({ type: event.type, text: event.text, refusal, field });
  }

  #start(key: string, draft: Draft): CallPiece {
    const known = draft.calls.get(key);
    if (known !== undefined) return known;
    const piece: CallPiece = { type: "call", call: undefined };
    draft.calls.set(key, piece);
    draft.pieces.push(piece);
    this.#holders.set(key, draft);
    return piece;
  }

  #close(call: ToolCall, draft: Draft): void {
    this.#start(call.key, draft).call = call;
    const keys = this.#keys.get(call.id);
    if (keys === undefined) this.#keys.set(call.id, [call.key]);
    else keys.push(call.key);
  }

  /** A key that is taken back never comes again. */
  #retract(key: string): void {
    const piece = this.#holders.get(key)?.calls.get(key);
    if (piece !== undefined) piece.call = undefined;
    this.#holders.delete(key);
  }

  /** An error between the responses of a session is of a message of the client's, and of no answer. */
  #fail(event: Extract<StreamEvent, { type: "error" }>): void {
    if (this.#drafts.length > 0 && !this.#open.has(event.at.lane ?? "")) return;
    this.#draft(event).error ??= event.error;
  }

  #finish(event: Extract<StreamEvent, { type: "finish" }>): Answer {
    const draft = this.#draft(event);
    draft.finish = event.reason;
    draft.rawFinish = event.raw;
    this.#open.delete(event.at.lane ?? "");
    return this.#answer(draft);
  }

  #answer({ response, variant, pieces, answered: keys, finish, rawFinish, error }: Draft): Answer {
    return {
      protocol: this.#protocol,
      ...(variant === undefined ? {} : { variant }),
      response,
      items: pieces.flatMap(itemOf),
      answered: [...keys],
      finish,
      rawFinish,
      error,
    };
  }
}

function emptyDraft(): Draft {
  return {
    response: {},
    variant: undefined,
    pieces: [],
    calls: new Map(),
    answered: new Set(),
    finish: null,
    rawFinish: null,
    error: null,
  };
}

function itemOf(piece: Piece): AnswerItem[] {
  if (piece.type === "part") return [{ type: "part", part: piece.part }];
  if (piece.type === "call") return piece.call === undefined ? [] : [{ type: "call", call: piece.call }];
  const { text } = piece;
  if (piece.type === "text") return [{ type: "text", text, ...(piece.refusal ? { refusal: true as const } : {}) }];
  return [{ type: "reasoning", text, ...(piece.field === undefined ? {} : { field: piece.field }) }];
}
