// The push form: bytes, strings or an SDK's objects in, events out, at once. Owns the way from a chunk to a frame to its
// JSON value to the protocol, and what happens to frames that are not JSON. Knows no vendor.

import { Assembler } from "./assembly/assembler.ts";
import type { DeclaredTool } from "./assembly/declared-tools.ts";
import { type Limits, withDefaults } from "./assembly/limits.ts";
import type { StreamEvent } from "./events.ts";
import { FollowedFields, type FieldListener } from "./followed-fields.ts";
import {
  createFramer,
  type Frame,
  type Framer,
  type FramingName,
  isDisguisedComment,
  splitGlued,
} from "./framing/index.ts";
import type { Protocol, ProtocolReader } from "./protocols/protocol.ts";

/** What a reader may be told. */
export interface ReaderOptions {
  /** The tools that the request declared. They settle names early; nothing else depends on them. */
  readonly tools?: readonly DeclaredTool[];
  readonly limits?: Partial<Limits>;
  /** How the body is framed; found from its first bytes when absent. */
  readonly framing?: FramingName;
  /** Milliseconds of a clock, for the arrival times in `at.time`; no times without it. Example: `() => performance.now()`. */
  readonly clock?: () => number;
}

/** How a reader finds its protocol when none was named. */
export type Detector = (
  value: unknown,
  event?: string,
) => { readonly protocol: Protocol; readonly sure: number } | undefined;

/** Frames that are looked at before the likeliest wire is taken. */
const DETECTION_FRAMES = 8;
const DONE = "[DONE]";

interface Undecided {
  readonly value: unknown;
  readonly event: string | undefined;
  readonly frame: Frame | undefined;
}

/**
 * Reads one response as it comes. Made by a protocol's `reader()` or by `createReader()`.
 *
 * @example
 * const reader = createReader({ protocol: openaiChat });
 * for (const event of reader.push('data: {"choices":[]}\n\n')) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export class Reader {
  readonly #framer: Framer;
  readonly #assembler: Assembler;
  readonly #clock: (() => number) | undefined;
  readonly #detector: Detector | undefined;
  readonly #maxBytes: number;
  readonly #follow: FollowedFields;
  #events: StreamEvent[] = [];
  #protocol: Protocol | undefined;
  #wire: ProtocolReader | undefined;
  #undecided: Undecided[] = [];
  #bytes = 0;
  #objects = 0;
  #time: number | undefined;
  /** The high half of a surrogate pair that a string chunk ended in. */
  #half = "";
  #encoder: TextEncoder | undefined;
  /** What the last frame was, when it was no JSON: only the end of the body tells whether that was fatal. */
  #lastBad: { readonly text: string; readonly terminated: boolean } | undefined;
  #ended = false;

  /**
   * @param protocol The wire, or a detector that finds it.
   * @param options See `ReaderOptions`.
   * @throws TypeError where a limit is no whole number above 0.
   */
  constructor(protocol: Protocol | Detector, options: ReaderOptions = {}) {
    const limits = withDefaults(options.limits);
    this.#maxBytes = limits.maxResponseBytes;
    this.#clock = options.clock;
    this.#framer = createFramer({ framing: options.framing, maxFrameBytes: limits.maxFrameBytes });
    this.#follow = new FollowedFields();
    this.#assembler = new Assembler((event) => this.#say(event), limits, options.tools);
    if (typeof protocol === "function") this.#detector = protocol;
    else this.#use(protocol);
  }

  /** The wire's name; undefined until it has been found. */
  get protocol(): Protocol["name"] | undefined {
    return this.#protocol?.name;
  }

  /** True once the response is over: what is pushed after that is passed over. */
  get over(): boolean {
    return this.#assembler.over && !this.#goesOn;
  }

  /** Whether a response after this one may follow on the wire. */
  get #goesOn(): boolean {
    return this.#wire?.session === true && !this.#assembler.stopped;
  }

  /** True once an error was said. */
  get errored(): boolean {
    return this.#assembler.errored;
  }

  /** True once a finish word has come: what still follows is only trailing data, and may never come. */
  get finishing(): boolean {
    return this.#assembler.finishing;
  }

  /**
   * Follows one field of the arguments of every call to a tool: the text of a string as it grows, any other value as
   * soon as it is whole.
   *
   * @param tool The tool's name.
   * @param path A JSON path: `$`, `.name`, `['name']`, `[0]`, `[*]`.
   * @param listener Called with each new piece of text and `{ done, value?, call }`.
   * @throws TypeError where the path cannot be read.
   * @example
   * reader.follow("write_file", "$.content", (text, { done }) => editor.insert(text));
   */
  follow(tool: string, path: string, listener: FieldListener): void {
    this.#follow.add(tool, path, listener);
  }

  /**
   * The value so far of a call's arguments. Costs what is new since the last time it was read.
   *
   * @param key The call's key.
   * @returns A live value that grows in place (copy it to keep it); undefined before the first character, for free text
   *   and for an unknown key.
   */
  partial(key: string): unknown {
    if (!this.#follow.watchesAll) {
      this.#follow.watchAll();
      for (const { call, text } of this.#assembler.given()) this.#follow.begin(call, text);
    }
    return this.#follow.value(key);
  }

  /**
   * Takes the next piece of the body.
   *
   * @param chunk Bytes; a string, which is taken as UTF-8; or an object that a vendor's SDK made of one frame.
   * @returns The events that it completed, in order; often none.
   * @throws TypeError after `end`.
   */
  push(chunk: Uint8Array | string | object): readonly StreamEvent[] {
    if (this.#ended) throw new TypeError("push() after end(): make a new reader for the next response");
    if (this.over) return this.#take();
    this.#time = this.#clock?.();
    if (typeof chunk === "string") this.#string(chunk);
    else if (chunk instanceof Uint8Array) this.#push(chunk);
    else if (isBytes(chunk)) this.#push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    else this.#object(chunk);
    return this.#take();
  }

  /** Ends the body. Closes what is open. Further calls give nothing. */
  end(): readonly StreamEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    if (this.#half !== "") this.#push((this.#encoder ??= new TextEncoder()).encode(this.#half));
    this.#framer.end(this.#onFrame);
    if (!this.#assembler.over) {
      this.#decide(true);
      this.#endOfBody();
    }
    return this.#take();
  }

  /** The source failed: says the error and closes what is open. */
  fail(error: unknown): readonly StreamEvent[] {
    this.#decide(true);
    this.#assembler.stop("source", error instanceof Error ? error.message : String(error));
    return this.end();
  }

  /** The reading was given up: closes what is open; the finish is `cancelled`. */
  cancel(): readonly StreamEvent[] {
    this.#assembler.cancel();
    return this.end();
  }

  #take(): readonly StreamEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  #say(event: StreamEvent): void {
    this.#events.push(event);
    this.#follow.take(event);
  }

  #string(text: string): void {
    const whole = this.#half + text;
    const last = whole.charCodeAt(whole.length - 1);
    const half = last >= 0xd800 && last < 0xdc00;
    this.#half = half ? whole.slice(-1) : "";
    this.#push((this.#encoder ??= new TextEncoder()).encode(half ? whole.slice(0, -1) : whole));
  }

  #push(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) {
      this.#decide(true);
      return this.#assembler.stop("limit", `The response is longer than ${this.#maxBytes} bytes (maxResponseBytes).`);
    }
    this.#framer.push(bytes, this.#onFrame);
  }

  #object(value: object): void {
    this.#assembler.at = {
      frame: this.#objects++,
      start: -1,
      end: -1,
      ...(this.#time === undefined ? {} : { time: this.#time }),
    };
    this.#value(value, undefined, undefined);
  }

  readonly #onFrame = (frame: Frame): void => {
    if (this.over) return;
    this.#locate(frame);
    if (frame.fault !== undefined && this.#fault(frame)) return;
    const { data } = frame;
    if (data === DONE) return this.#done();
    const value = parse(data);
    if (value === undefined) return this.#notJson(frame);
    this.#lastBad = undefined;
    if (!frame.terminated)
      this.#assembler.notice(
        "final-event-unterminated",
        "The body ended without the blank line after its last event; it was read all the same.",
      );
    this.#value(value, frame.event, frame);
  };

  #locate(frame: Frame): void {
    const { index, start, end } = frame;
    this.#assembler.at =
      this.#time === undefined ? { frame: index, start, end } : { frame: index, start, end, time: this.#time };
    this.#assembler.seed(frame.data);
  }

  /** What the framer saw. True where there is nothing more to read in the frame. */
  #fault(frame: Frame): boolean {
    const { code, message } = frame.fault ?? { code: "bare-line", message: "" };
    switch (code) {
      case "frame-too-large":
        // What was lost may have been a part of any open call: none of them can be trusted.
        this.#decide(true);
        this.#assembler.notice("frame-too-large", message);
        this.#assembler.stop("frame-too-large", `${message} (maxFrameBytes)`);
        return true;
      case "not-a-stream":
        this.#decide(true);
        this.#assembler.notice("not-a-stream", message);
        this.#assembler.stop("not-a-stream", `The body is no stream: ${excerpt(frame.data)}`);
        return true;
      case "bare-line":
      case "data-prefix":
        this.#assembler.notice("bare-line", message);
        return false;
      default:
        return false;
    }
  }

  /** A frame that is not JSON: comments in disguise, glued frames, an upstream's error page, a frame that was cut. */
  #notJson(frame: Frame): void {
    const pieces = splitGlued(frame.data);
    if (pieces !== undefined) {
      this.#assembler.notice("glued-frames", "Several messages stood in one frame; they were read one by one.");
      for (const piece of pieces) {
        if (this.over) return;
        const value = piece === DONE ? undefined : parse(piece);
        if (piece === DONE) this.#done();
        else if (value === undefined) this.#bad(piece, frame.terminated);
        else this.#value(value, frame.event, frame);
      }
      return;
    }
    this.#bad(frame.data, frame.terminated);
  }

  #bad(text: string, terminated: boolean): void {
    if (text.trim() === "") return;
    const comment = isDisguisedComment(text);
    if (!comment) this.#lastBad = { text, terminated };
    const code = terminated ? "non-json-frame" : "cut-frame";
    this.#assembler.notice(
      code,
      terminated
        ? `A frame that is not JSON was passed over: ${excerpt(text)}`
        : "The body ended inside a frame; what was there of it is lost.",
      {
        reason: terminated ? "unparseable-frame" : "cut-frame",
        argumentsText: text.slice(0, 1000),
      },
    );
  }

  #done(): void {
    this.#decide(true);
    this.#assembler.end();
  }

  #endOfBody(): void {
    const bad = this.#lastBad;
    // A last frame that is no JSON, where no terminal signal came, is what ended the stream.
    if (bad?.terminated === true && !this.#assembler.finishing)
      this.#assembler.error("non-json-frame", `The stream ended with: ${excerpt(bad.text)}`, undefined);
    this.#assembler.endOfBody();
  }

  #value(value: unknown, event: string | undefined, frame: Frame | undefined): void {
    if (this.#wire !== undefined) return this.#wire.read(value, this.#assembler, event);
    this.#undecided.push({ value, event, frame });
    this.#decide(false);
  }

  /** Finds the protocol from the frames so far; `now`: takes the likeliest. */
  #decide(now: boolean): void {
    if (this.#wire !== undefined || this.#detector === undefined) return;
    let best: ReturnType<Detector>;
    for (const { value, event } of this.#undecided) {
      const found = this.#detector(value, event);
      if (found !== undefined && found.sure > (best?.sure ?? 0)) best = found;
    }
    if (!now && (best?.sure ?? 0) < 0.7 && this.#undecided.length < DETECTION_FRAMES) return;
    const fallback = best?.protocol ?? this.#detector({ choices: [] })?.protocol;
    if (fallback === undefined) return;
    const waiting = this.#undecided;
    this.#undecided = [];
    const wire = this.#use(fallback);
    const here = this.#assembler.at;
    for (const { value, event, frame } of waiting) {
      if (frame !== undefined) this.#locate(frame);
      if (!this.over) wire.read(value, this.#assembler, event);
    }
    this.#assembler.at = here;
  }

  #use(protocol: Protocol): ProtocolReader {
    this.#protocol = protocol;
    return (this.#wire = protocol.start());
  }
}

/** Views of other realms are bytes too. */
function isBytes(value: object): value is ArrayBufferView {
  return ArrayBuffer.isView(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}
