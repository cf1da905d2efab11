// What a protocol says in, events out. Owns the response: its identity, text, usage, errors and finish, and the order in
// which they are said. What becomes of its calls is for those who build on it. Knows no vendor and no bytes.

import type { CallIdentity, Dropped, FinishReason, NoticeCode, WirePosition, WireVariant } from "../events.ts";
import type { Ending } from "./close.ts";
import { defined } from "../defined.ts";
import { settleFinish, stronger } from "./finish.ts";
import { idSeed } from "./make-id.ts";
import type { Speech } from "./speech.ts";
import { present, wholeIndex } from "../wire-values.ts";

/** One choice of a response. */
export interface Choice {
  /** A finish word came for it. */
  finished: boolean;
}

/** The calls of a response, as far as the response asks of them. */
export interface Calls {
  /** The response's id. */
  response: string | undefined;
  /** A frame could not be read: nothing says any more that a call without text has no arguments. */
  lost: boolean;
  choice(value: unknown): Choice;
  choices(): Iterable<Choice>;
  /** The started calls and the text that was given out for each so far; costs that text's length. */
  given(): { readonly call: CallIdentity; readonly text: string }[];
  /** Whether the answer, or one choice of it, holds a call that the client is to run. */
  hasClientCalls(choice?: Choice): boolean;
  /** Closes what is still open, at the end of the response. */
  end(endingOf: (choice: Choice) => Ending): void;
  /** Forgets the calls of the response that is over. */
  begin(): void;
}

/** See the file's head. One assembler serves one reader, and the responses that it reads one after another. */
export abstract class ResponseAssembler<Table extends Calls = Calls> {
  /** Called before the response closes, for whatever reason: a stage in front of the assembler says its last words. */
  closing: (() => void) | undefined;
  /** The HTTP status of a response that was not ok: goes with its errors. */
  status: number | undefined;
  readonly speech: Speech;
  /** The calls of the response. Who stands in front of the assembler and changes them does it in `word`. */
  readonly calls: Table;
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

  /**
   * @param speech What speaks for the reader.
   * @param calls The calls.
   */
  constructor(speech: Speech, calls: Table) {
    this.speech = speech;
    this.calls = calls;
  }

  /** Where that which is said now comes from. */
  get at(): WirePosition {
    return this.speech.at;
  }

  set at(position: WirePosition) {
    this.speech.at = position;
  }

  /** True once the response is finished. */
  get over(): boolean {
    return this.#over;
  }

  /** The started calls and the text that was given out for each so far; costs that text's length. */
  given(): { readonly call: CallIdentity; readonly text: string }[] {
    return this.calls.given();
  }

  /** True once an error was said. */
  get errored(): boolean {
    return this.#errored || this.#reason === "error";
  }

  /** True once a finish word has come: what still follows is only trailing data. */
  get finishing(): boolean {
    return this.#worded;
  }

  /** True once reading must stop. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** True while a response is open. */
  get anyOpen(): boolean {
    return !this.#over;
  }

  /** Does something for each assembler of the reader whose response is open, and for this one. */
  protected forAll(act: (assembler: ResponseAssembler) => void): void {
    act(this);
  }

  /** Something else than the calls is about to be spoken of. */
  protected flush(): void {}

  /** Forgets the response that is over. */
  protected restart(): void {
    this.#over = false;
    this.#variant = undefined;
    this.#raw = null;
    this.#reason = null;
    this.#worded = false;
    this.#errored = false;
    this.#late = false;
    this.#lastError = "";
    this.calls.begin();
  }

  /**
   * The frame that is read now: made ids are derived from its text, and from that of the first one of the response. Its text
   * is looked at only where one must be made.
   */
  seed(frame: { readonly data: string }): void {
    const { speech } = this;
    speech.frame = frame;
    speech.seed ??= idSeed(frame.data);
  }

  response(id: unknown, model?: unknown, variant?: WireVariant): void {
    if (this.#over) return;
    const { calls } = this;
    const newId = calls.response === undefined ? present(id) : undefined;
    const newModel = this.#model === undefined ? present(model) : undefined;
    const newVariant = this.#variant === undefined ? variant : undefined;
    if (newId === undefined && newModel === undefined && newVariant === undefined) return;
    calls.response ??= newId;
    this.#model ??= newModel;
    this.#variant ??= newVariant;
    this.speech.tell({ type: "response", id: calls.response, model: this.#model, variant: this.#variant });
  }

  /** Content that comes behind a finish word is read all the same. */
  protected noteLate(): void {
    if (!this.#worded || this.#late) return;
    this.#late = true;
    this.speech.notice("data-after-finish");
  }

  text(text: unknown, choice?: unknown, refusal = false, item?: unknown): void {
    if (typeof text !== "string" || text === "" || this.#over) return;
    this.flush();
    this.speech.say({
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
    this.flush();
    this.speech.say({
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
    this.flush();
    this.speech.tell({ type: "part", part: this.speech.own(part), choice: wholeIndex(choice) ?? 0 });
  }

  usage(raw: unknown, inputTokens?: unknown, outputTokens?: unknown): void {
    if (typeof raw !== "object" || raw === null || this.#over) return;
    this.speech.tell({
      type: "usage",
      inputTokens: typeof inputTokens === "number" ? inputTokens : undefined,
      outputTokens: typeof outputTokens === "number" ? outputTokens : undefined,
      raw: this.speech.own(raw),
    });
  }

  finish(raw: string, reason: FinishReason | null, choice?: unknown): void {
    if (present(raw) === undefined || this.#over) return;
    // OpenRouter says its word again with the usage: only another word is worth a notice.
    if (this.#raw !== null && raw !== this.#raw && this.calls.choice(choice).finished)
      this.speech.notice("finish-repeated", undefined, raw.slice(0, 40));
    this.#raw ??= raw;
    this.#reason = stronger(this.#reason, reason);
    if (reason === "error") this.#errored = true;
    if (this.#errored) return;
    this.#worded = true;
    this.calls.choice(choice).finished = true;
  }

  error(code: unknown, message: unknown, raw: unknown, passing = false): void {
    if (this.#over && !passing) return;
    this.flush();
    if (!this.#worded && !passing) this.#errored = true;
    if (!passing) this.#reason = "error";
    // Responses says an error as an event and again in the response that failed.
    const words = `${String(code)} ${String(message)}`;
    if (words === this.#lastError) return;
    this.#lastError = words;
    this.speech.tell({
      type: "error",
      error: defined({
        code: typeof code === "string" || typeof code === "number" ? code : null,
        message:
          typeof message === "string" && message !== "" ? message : "The stream carried an error without a message.",
        status: this.status,
        raw: this.speech.own(raw),
      }),
    });
  }

  /** An error of the reading itself: the response ends here, what was read is kept. */
  stop(code: string | number, message: string): void {
    if (this.#stopped) return;
    // Between the responses of a session: what ends the reading is said, a socket that closes is no error.
    if (!this.anyOpen && code !== "source") this.error(code, message, undefined, true);
    this.#stopped = true;
    let said = false;
    this.forAll((lane) => {
      if (lane.#over) return;
      if (!said) lane.error(code, message, undefined);
      said = true;
      lane.#errored = true;
      lane.#reason = "error";
      lane.#close(false);
    });
    this.speech.mute();
  }

  notice(code: NoticeCode, message: string, dropped?: Dropped): void {
    this.speech.remark(code, message, undefined, dropped);
  }

  end(reason?: FinishReason | null): void {
    if (reason !== undefined && !this.#over) this.#reason = stronger(this.#reason, reason);
    this.#close(!this.#errored, reason !== undefined);
  }

  /** The body is over. Only a finish word makes that an end of the response; else it was interrupted. */
  endOfBody(): void {
    this.forAll((lane) => lane.#endOfBody());
  }

  #endOfBody(): void {
    if (!this.#over && !this.#worded && !this.#errored) this.speech.notice("unterminated-stream");
    this.#close(false);
  }

  /** The source was cancelled by its reader. */
  cancel(): void {
    this.forAll((lane) => lane.#cancel());
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
    const calls = this.calls;
    if (done && this.#raw === null && !wordless) this.speech.notice("finish-missing");
    const well = this.#reason === null || this.#reason === "stop" || this.#reason === "tool_calls";
    calls.end((choice) => {
      const ended = done || choice.finished || (this.#worded && this.#speaksForAll());
      return { ended, well: ended && well } satisfies Ending;
    });
    const hasCalls = calls.hasClientCalls();
    const reason = settleFinish(this.#reason, done || this.#worded, hasCalls);
    if (this.#reason === (hasCalls ? "stop" : "tool_calls")) this.speech.notice("finish-mismatch");
    this.speech.tell({ type: "finish", reason, raw: this.#raw });
  }

  /** A finished choice without a call of its own that says `tool_calls` speaks for the others: they are one message. */
  #speaksForAll(): boolean {
    if (this.#reason !== "tool_calls") return false;
    for (const choice of this.calls.choices()) if (choice.finished && this.calls.hasClientCalls(choice)) return false;
    return true;
  }

  /** Stops reading at a limit. */
  stopAt(passed: string): void {
    this.speech.remark("limit", `${passed} Reading stopped; what was read is kept.`);
    this.stop("limit", passed);
  }
}

function itemOf(item: unknown): { readonly item?: string } {
  if (typeof item === "number") return { item: String(item) };
  return typeof item === "string" && item !== "" ? { item } : {};
}
