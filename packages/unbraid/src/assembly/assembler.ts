// What a protocol says in, events out. Owns the response: its identity, text, usage, errors and finish, and the order in
// which they are said. Calls live in call-table.ts and final-list.ts. Knows no vendor and no bytes.

import type {
  CallIdentity,
  Dropped,
  FinishReason,
  NoticeCode,
  RetractReason,
  StreamEvent,
  WirePosition,
  WireVariant,
} from "../events.ts";
import { CallTable } from "./call-table.ts";
import type { Ending } from "./close.ts";
import { type DeclaredTool, declaredTools } from "./declared-tools.ts";
import { doublesOf } from "./doubles.ts";
import { settleFinish, stronger } from "./finish.ts";
import type { Limits } from "./limits.ts";
import { KeyedCalls } from "./keyed-calls.ts";
import { idSeed } from "./make-id.ts";
import type { CallDelta, CallKey, Sink } from "./sink.ts";
import { Speech } from "./speech.ts";
import { present, wholeIndex } from "../wire-values.ts";

/** Responses that may be open side by side on one socket. */
const MAX_LANES = 256;

/** See the file's head. One assembler serves one reader, and the responses that it reads one after another. */
export class Assembler implements Sink {
  /** Called before the response closes, for whatever reason: a stage in front of the assembler says its last words. */
  closing: (() => void) | undefined;
  /** The HTTP status of a response that was not ok: goes with its errors. */
  status: number | undefined;
  readonly #speech: Speech;
  readonly #calls: CallTable;
  readonly #keyed: KeyedCalls;
  #id: string | undefined;
  #model: string | undefined;
  #variant: WireVariant | undefined;
  #raw: string | null = null;
  #reason: FinishReason | null = null;
  /** A finish word came, and no error before it. */
  #worded = false;
  #errored = false;
  #late = false;
  #lastError = "";
  #over = false;
  /** Reading must stop: a limit was passed, or the wire cannot be trusted any more. */
  #stopped = false;
  /** The lane that this one serves: the first that was asked for. `#others` serve the others. */
  #lane: string | undefined;
  readonly #others: Map<string, Assembler> = new Map();
  /** The assembler among whose `#others` this one is. */
  #root: Assembler | undefined;
  readonly #limits: Limits;
  readonly #tools: readonly DeclaredTool[] | undefined;

  /**
   * @param say Takes the events, in order.
   * @param limits All limits.
   * @param tools The tools that the request declared, where they are known.
   * @param speech What speaks, where several lanes of one reader share it.
   */
  constructor(
    say: (event: StreamEvent) => void,
    limits: Limits,
    tools: readonly DeclaredTool[] | undefined,
    speech: Speech = new Speech(say),
  ) {
    this.#speech = speech;
    this.#limits = limits;
    this.#tools = tools;
    this.#calls = new CallTable(this.#speech, limits, declaredTools(tools));
    this.#keyed = new KeyedCalls(this.#calls, this.#speech);
  }

  /** Where that which is said now comes from. */
  get at(): WirePosition {
    return this.#speech.at;
  }

  set at(position: WirePosition) {
    this.#speech.at = position;
  }

  /** True once the response is finished. */
  get over(): boolean {
    return this.#over;
  }

  /** True once an error was said. */
  get errored(): boolean {
    return this.#errored || this.#reason === "error";
  }

  /** The started calls and the text that was given out for each so far; costs that text's length. */
  given(): { readonly call: CallIdentity; readonly text: string }[] {
    const assemblers: readonly Assembler[] = [this, ...this.#others.values()];
    const all = assemblers.flatMap((each) => [...each.#calls.choices()].flatMap((choice) => choice.calls));
    return all
      .filter((call) => call.started && !call.args.plain)
      .map((call) => ({ call: call.identity, text: call.args.given }));
  }

  /** True once a finish word has come: what still follows is only trailing data. */
  get finishing(): boolean {
    return this.#worded;
  }

  /** True once reading must stop. */
  get stopped(): boolean {
    return (this.#root ?? this).#stopped;
  }

  /** True while a response is open on any lane. */
  get anyOpen(): boolean {
    if (!this.#over) return true;
    for (const other of this.#others.values()) if (!other.#over) return true;
    return false;
  }

  lane(name: unknown): Assembler {
    const lane = present(name) ?? "";
    this.#speakOf(lane);
    this.#lane ??= lane;
    if (lane === this.#lane || this.#stopped) return this;
    let other = this.#others.get(lane);
    if (other === undefined) {
      if (this.#others.size >= MAX_LANES && !this.#forgetLanes()) return this;
      other = new Assembler(this.#speech.say, this.#limits, this.#tools, this.#speech);
      other.#root = this;
      other.#calls.starts.seed = this.#calls.starts.seed;
      this.#others.set(lane, other);
    }
    return other;
  }

  /** Makes room for another lane: those whose response is over are forgotten. False: too many are open. */
  #forgetLanes(): boolean {
    for (const [name, other] of this.#others) if (other.#over) this.#others.delete(name);
    if (this.#others.size < MAX_LANES) return true;
    const message = `More than ${MAX_LANES} responses are open side by side.`;
    this.#speech.notice("limit", `${message} Reading stopped; what was read is kept.`);
    this.stop("limit", message);
    return false;
  }

  /** Does something for the lane of each assembler, this one last. */
  #forLanes(act: (assembler: Assembler) => void): void {
    for (const [lane, other] of this.#others) {
      if (other.#over) continue;
      this.#speakOf(lane);
      act(other);
    }
    this.#speakOf(this.#lane ?? "");
    act(this);
  }

  /** What is said from now on in this frame is of this lane. */
  #speakOf(name: string): void {
    const { lane = "", ...at } = this.at;
    if (lane !== name) this.#speech.at = name === "" ? at : { ...at, lane: name };
  }

  begin(): void {
    if (!this.#over || this.stopped) return;
    this.#over = false;
    this.#id = undefined;
    this.#variant = undefined;
    this.#raw = null;
    this.#reason = null;
    this.#worded = false;
    this.#errored = false;
    this.#late = false;
    this.#lastError = "";
    this.#calls.begin();
  }

  answered(id: unknown): void {
    const quoted = present(id);
    if (quoted !== undefined) this.#speech.say({ type: "call.answered", id: quoted, at: this.at });
  }

  /**
   * The frame that is read now: made ids are derived from its text, and from that of the first one of the response. Its text
   * is looked at only where one must be made.
   */
  seed(frame: { readonly data: string }): void {
    this.#speech.frame = frame;
    this.#calls.direct = undefined;
    this.#calls.starts.seed ??= idSeed(frame.data);
  }

  response(id: unknown, model?: unknown, variant?: WireVariant): void {
    if (this.#over) return;
    const newId = this.#id === undefined ? present(id) : undefined;
    const newModel = this.#model === undefined ? present(model) : undefined;
    const newVariant = this.#variant === undefined ? variant : undefined;
    if (newId === undefined && newModel === undefined && newVariant === undefined) return;
    this.#id ??= newId;
    this.#model ??= newModel;
    this.#variant ??= newVariant;
    this.#calls.response = this.#id;
    this.#speech.say({
      type: "response",
      ...(this.#id === undefined ? {} : { id: this.#id }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(this.#variant === undefined ? {} : { variant: this.#variant }),
      at: this.at,
    });
  }

  get midCall(): boolean {
    for (const choice of this.#calls.choices()) {
      if (choice.calls.some((call) => call.unfinished && !call.args.blank)) return true;
    }
    return false;
  }

  knows(key: CallKey): boolean {
    const call = this.#calls.find(this.#calls.choice(key.choice), key);
    return call !== undefined && !call.over;
  }

  /** Content that comes behind a finish word is read all the same. */
  #noteLate(): void {
    if (!this.#worded || this.#late) return;
    this.#late = true;
    this.#speech.notice("data-after-finish", "Content came after the response had said that it was finished.");
  }

  delta(delta: CallDelta): void {
    if (this.#over) return;
    this.#noteLate();
    this.#calls.mention(delta);
    this.#checkLimits();
  }

  /** Fragments that were not parsed come through these: see `FragmentTaker`. */
  get runs(): boolean {
    return !this.#over && this.at.lane === undefined && this.#calls.running !== undefined;
  }

  readAhead(text: string, start: number, end: number): boolean {
    const call = this.#calls.direct;
    return call !== undefined && this.#calls.hasRoom(call, end - start) && call.args.readAhead(text, start, end);
  }

  unread(): void {
    this.#calls.direct?.args.unread();
  }

  takeAhead(text: string): CallIdentity | undefined {
    const call = this.#calls.direct;
    call?.args.takeAhead(text);
    return call?.identity;
  }

  textOf(item: string): string | undefined {
    return this.#calls.choice(0).byItem.get(item)?.args.held;
  }

  open(delta: CallDelta): void {
    if (!this.#over) this.#do(() => this.#keyed.open(delta));
  }

  append(key: CallKey, text: unknown, headerMayFollow = false): void {
    if (this.#over) return;
    this.#keyed.append(key, text, headerMayFollow);
    this.#checkLimits();
  }

  final(delta: CallDelta, unsure = false): void {
    if (!this.#over) this.#do(() => this.#keyed.final(delta, unsure));
  }

  close(delta: CallDelta, cut = false): void {
    if (!this.#over) this.#do(() => this.#keyed.close(delta, cut));
  }

  whole(delta: CallDelta): void {
    if (this.#over) return;
    this.#noteLate();
    this.#do(() => this.#keyed.whole(delta));
  }

  list(items: readonly CallDelta[]): void {
    if (!this.#over) this.#do(() => this.#keyed.list(items));
  }

  #do(act: () => void): void {
    act();
    this.#checkLimits();
  }

  retract(reason: RetractReason, which?: CallKey): void {
    const calls = this.#calls;
    if (this.#stopped) return;
    if (which === undefined) {
      if (this.#over) return;
      for (const choice of calls.choices()) for (const call of [...choice.calls]) calls.retract(choice, call, reason);
      // What takes the place of the response says its own name.
      if (reason === "superseded-by-restart") this.#id = undefined;
      return;
    }
    const choice = calls.choice(which.choice);
    const call = calls.find(choice, which);
    const id = present(which.id);
    if (call !== undefined) calls.retract(choice, call, reason);
    else if (id !== undefined) calls.retractEarlier(id, reason);
  }

  /** Takes back each call under these keys that another call of its choice equals. */
  retractDoubles(keys: readonly CallKey[]): void {
    for (const { choice, call } of doublesOf(this.#calls, keys)) this.#calls.retract(choice, call, "repeated-call");
  }

  text(text: unknown, choice?: unknown, refusal = false, item?: unknown): void {
    if (typeof text !== "string" || text === "" || this.#over) return;
    this.#calls.starts.flush();
    this.#speech.say({
      type: "text",
      text,
      choice: wholeIndex(choice) ?? 0,
      ...(refusal ? { refusal: true as const } : {}),
      ...itemOf(item),
      at: this.at,
    });
  }

  reasoning(text: unknown, choice?: unknown, field?: string, item?: unknown): void {
    if (typeof text !== "string" || text === "" || this.#over) return;
    this.#calls.starts.flush();
    this.#speech.say({
      type: "reasoning",
      text,
      ...(field === undefined ? {} : { field }),
      choice: wholeIndex(choice) ?? 0,
      ...itemOf(item),
      at: this.at,
    });
  }

  part(part: unknown, choice?: unknown): void {
    if (this.#over) return;
    this.#calls.starts.flush();
    this.#speech.say({ type: "part", part: this.#speech.own(part), choice: wholeIndex(choice) ?? 0, at: this.at });
  }

  usage(raw: unknown, inputTokens?: unknown, outputTokens?: unknown): void {
    if (typeof raw !== "object" || raw === null || this.#over) return;
    this.#speech.say({
      type: "usage",
      ...(typeof inputTokens === "number" ? { inputTokens } : {}),
      ...(typeof outputTokens === "number" ? { outputTokens } : {}),
      raw: this.#speech.own(raw),
      at: this.at,
    });
  }

  finish(raw: string, reason: FinishReason | null, choice?: unknown): void {
    if (present(raw) === undefined || this.#over) return;
    // OpenRouter says its word again with the usage: only another word is worth a notice.
    if (this.#raw !== null && raw !== this.#raw && this.#calls.choice(choice).finished)
      this.#speech.notice("finish-repeated", `Another finish word came: "${raw.slice(0, 40)}".`);
    this.#raw ??= raw;
    this.#reason = stronger(this.#reason, reason);
    if (reason === "error") this.#errored = true;
    if (this.#errored) return;
    this.#worded = true;
    this.#calls.choice(choice).finished = true;
  }

  error(code: unknown, message: unknown, raw: unknown, passing = false): void {
    if (this.#over && !passing) return;
    this.#calls.starts.flush();
    if (!this.#worded && !passing) this.#errored = true;
    if (!passing) this.#reason = "error";
    // Responses says an error as an event and again in the response that failed.
    const words = `${String(code)} ${String(message)}`;
    if (words === this.#lastError) return;
    this.#lastError = words;
    this.#speech.say({
      type: "error",
      error: {
        code: typeof code === "string" || typeof code === "number" ? code : null,
        message:
          typeof message === "string" && message !== "" ? message : "The stream carried an error without a message.",
        ...(this.status === undefined ? {} : { status: this.status }),
        ...(raw === undefined ? {} : { raw: this.#speech.own(raw) }),
      },
      at: this.at,
    });
  }

  /** An error of the reading itself: the response ends here, what was read is kept. */
  stop(code: string | number, message: string): void {
    if (this.#root !== undefined) return this.#root.stop(code, message);
    if (this.#stopped) return;
    // Between the responses of a session: what ends the reading is said, a socket that closes is no error.
    if (!this.anyOpen && code !== "source") this.error(code, message, undefined, true);
    this.#stopped = true;
    let said = false;
    this.#forLanes((lane) => {
      if (lane.#over) return;
      if (!said) lane.error(code, message, undefined);
      said = true;
      lane.#errored = true;
      lane.#reason = "error";
      lane.#close(false);
    });
    this.#speech.mute();
  }

  notice(code: NoticeCode, message: string, dropped?: Dropped): void {
    this.#speech.notice(code, message, undefined, dropped);
  }

  end(reason?: FinishReason | null): void {
    if (reason !== undefined && !this.#over) this.#reason = stronger(this.#reason, reason);
    this.#close(!this.#errored, reason !== undefined);
  }

  /** The body is over. Only a finish word makes that an end of the response; else it was interrupted. */
  endOfBody(): void {
    this.#forLanes((lane) => lane.#endOfBody());
  }

  #endOfBody(): void {
    if (!this.#over && !this.#worded && !this.#errored) {
      this.#speech.notice(
        "unterminated-stream",
        "The body ended without a terminal signal: the response was interrupted.",
      );
    }
    this.#close(false);
  }

  /** The source was cancelled by its reader. */
  cancel(): void {
    this.#forLanes((lane) => lane.#cancel());
  }

  #cancel(): void {
    if (this.#over) return;
    this.#errored = true;
    this.#reason = "cancelled";
    this.#close(false);
  }

  /**
   * @param done The wire said that the response is over.
   * @param wordless It has no word for it.
   */
  #close(done: boolean, wordless = false): void {
    if (this.#over) return;
    this.closing?.();
    // What was said last may have passed a limit.
    if (this.#over) return;
    this.#over = true;
    const calls = this.#calls;
    if (done && this.#raw === null && !wordless)
      this.#speech.notice("finish-missing", "The response ended without a finish word.");
    const well = this.#reason === null || this.#reason === "stop" || this.#reason === "tool_calls";
    calls.end((choice) => {
      const ended = done || choice.finished || (this.#worded && this.#speaksForAll());
      return { ended, well: ended && well } satisfies Ending;
    });
    const hasCalls = calls.hasClientCalls();
    const reason = settleFinish(this.#reason, done || this.#worded, hasCalls);
    if (this.#reason === "tool_calls" && !hasCalls)
      this.#speech.notice("finish-mismatch", "The response said that it calls tools, and no call came.");
    if (this.#reason === "stop" && hasCalls)
      this.#speech.notice("finish-mismatch", "The response said that it stopped, and it holds calls.");
    this.#speech.say({ type: "finish", reason, raw: this.#raw, at: this.at });
  }

  /** A finished choice without a call of its own that says `tool_calls` speaks for the others: they are one message. */
  #speaksForAll(): boolean {
    if (this.#reason !== "tool_calls") return false;
    for (const choice of this.#calls.choices()) if (choice.finished && this.#calls.hasClientCalls(choice)) return false;
    return true;
  }

  #checkLimits(): void {
    const { passed } = this.#calls;
    if (passed === undefined || this.#over) return;
    this.#speech.notice("limit", `${passed.message} Reading stopped; what was read is kept.`);
    this.stop("limit", `${passed.message} (${passed.limit})`);
  }
}

function itemOf(item: unknown): { readonly item?: string } {
  if (typeof item === "number") return { item: String(item) };
  return typeof item === "string" && item !== "" ? { item } : {};
}
