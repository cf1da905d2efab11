// The push form: bytes, strings or an SDK's objects in, events out, at once. Owns the way from a chunk to a frame to its
// JSON value to the protocol, and what happens to frames that are not JSON. Knows no vendor.

import { Assembler } from "./assembly/assembler.ts";
import type { Sink } from "./assembly/sink.ts";
import type { DeclaredTool } from "./assembly/declared-tools.ts";
import { type Limits, withDefaults } from "./assembly/limits.ts";
import type { CallIdentity, StreamEvent, WirePosition } from "./events.ts";
import { failureOf } from "./failure.ts";
import { DONE, isFatal, OddFrames, parse } from "./odd-frames.ts";
import type { FastPath, FragmentTaker } from "./fast-path.ts";
import { FollowedFields, type FieldListener } from "./followed-fields.ts";
import { joined } from "./framing/bytes.ts";
import { createFramer, type ExtraFraming, type Frame, type Framer, type FramingName } from "./framing/index.ts";
import type { Protocol, ProtocolReader, ProtocolName } from "./protocols/protocol.ts";
import type { RescueStage } from "./rescue/stage.ts";

/** What a reader may be told. */
export interface ReaderOptions {
  /** The tools that the request declared. They settle names early; nothing else depends on them. */
  readonly tools?: readonly DeclaredTool[];
  /** The limits; what is left out has its default. */
  readonly limits?: Partial<Limits>;
  /**
   * Recovers calls that a server left in the text: `rescue` of `unbraid/rescue`. Needs `tools`, for only declared ones are
   * recovered; on the wire `text` it works without.
   */
  readonly rescue?: RescueStage;
  /** How the body is framed; found from its first bytes when absent. */
  readonly framing?: FramingName;
  /** Milliseconds of a clock, for the arrival times in `at.time`; no times without it. Example: `() => performance.now()`. */
  readonly clock?: () => number;
  /**
   * False: every frame is parsed. By default a frame that differs from the one before it only in its fragment is not; the
   * events are the same.
   */
  readonly fastPath?: boolean;
}

/** How a reader finds its protocol when none was named. */
export interface Detector {
  (value: unknown, event?: string): { readonly protocol: Protocol; readonly sure: number } | undefined;
  /** The framings that only some of its wires come in. */
  readonly extraFramings?: readonly ExtraFraming[];
  /** What reads fragments without parsing, where one of its wires has it. */
  readonly fastPath?: typeof FastPath;
  /** The wire whose bodies are one text, where the first bytes are of one; null where they do not tell yet. */
  readonly rawWire?: (head: Uint8Array) => Protocol | null | undefined;
}

/** Frames that are looked at before the likeliest wire is taken. */
const DETECTION_FRAMES = 8;
/** How sure a detector must be for a frame to settle it. */
const SURE = 0.7;
/** First bytes that may say that a body is one text. A body with more blanks before its first word is none. */
const MAX_HEAD = 1024;

/** What came before the wire was known: a frame, or an object with its position. */
type Held = { readonly frame: Frame } | { readonly value: object; readonly at: WirePosition };

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
  readonly #options: ReaderOptions;
  readonly #clock: (() => number) | undefined;
  readonly #detector: Detector | undefined;
  readonly #maxBytes: number;
  readonly #follow: FollowedFields;
  #events: StreamEvent[] | undefined;
  #protocol: Protocol | undefined;
  #wire: ProtocolReader | undefined;
  readonly #fast: FastPath | undefined;
  /** What the protocol speaks to: the assembler, or a stage in front of it. */
  #sink: Sink;
  #decoder: TextDecoder | undefined;
  /** First bytes that do not tell whether the body is one text. */
  #head: Uint8Array | undefined;
  #headTold = false;
  #held: Held[] = [];
  #likeliest: ReturnType<Detector>;
  #bytes = 0;
  #objects = 0;
  #time: number | undefined;
  /** The high half of a surrogate pair that a string chunk ended in. */
  #half = "";
  #encoder: TextEncoder | undefined;
  readonly #odd: OddFrames;
  #ended = false;
  /** What was open is closed: nothing more will be said. */
  #closed = false;

  /**
   * Made by a protocol's `reader()` or by `createReader()`.
   *
   * @param protocol The wire, or a detector that finds it.
   * @param options See `ReaderOptions`.
   * @throws TypeError where a limit is no whole number above 0.
   */
  constructor(protocol: Protocol | Detector, options: ReaderOptions = {}) {
    const limits = withDefaults(options.limits);
    this.#maxBytes = limits.maxResponseBytes;
    this.#clock = options.clock;
    this.#options = options;
    this.#assembler = new Assembler((event) => this.#say(event), limits, options.tools);
    this.#sink = this.#assembler;
    const { fastPath: Fast } = protocol;
    this.#fast = Fast === undefined || options.fastPath === false ? undefined : new Fast(this.#fragmentTaker());
    this.#framer = createFramer({
      framing: options.framing,
      maxFrameBytes: limits.maxFrameBytes,
      extra: protocol.extraFramings,
      skim: this.#fast,
    });
    this.#follow = new FollowedFields();
    this.#odd = new OddFrames(this.#assembler, {
      over: () => this.over,
      decide: () => this.#decide(true),
      done: () => this.#done(),
      value: (value, event) => this.#value(value, event),
    });
    if (typeof protocol === "function") this.#detector = protocol;
    else this.#use(protocol);
  }

  /** The wire's name; undefined until it has been found. */
  get protocol(): ProtocolName | undefined {
    return this.#protocol?.name;
  }

  /** True once the response is over: what is pushed after that is passed over. */
  get over(): boolean {
    return this.#assembler.over && !this.#goesOn;
  }

  /** Whether a response after this one may follow on the wire. */
  get #goesOn(): boolean {
    return this.#wire?.session === true && !this.#closed && !this.#assembler.stopped;
  }

  /** Says that the body is that of an HTTP response which was not ok: its errors carry the status. */
  refused(status: number): void {
    this.#assembler.status = status;
  }

  /** True once an error was said. */
  get errored(): boolean {
    return this.#assembler.errored;
  }

  /** True once a finish word has come: what still follows is only trailing data, and may never come. */
  get finishing(): boolean {
    return this.#assembler.finishing && !this.#goesOn;
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
      for (const { call, text } of this.#assembler.given())
        if (!this.#follow.knows(call.key)) this.#follow.begin(call, text);
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
    else if (isView(chunk)) this.#push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    else if (isBuffer(chunk)) this.#push(new Uint8Array(chunk));
    else this.#object(chunk);
    return this.#take();
  }

  /** Ends the body. Closes what is open. Further calls give nothing. */
  end(): readonly StreamEvent[] {
    if (this.#ended) return [];
    this.#flush();
    return this.#close();
  }

  /** Reads what stands in the buffers. */
  #flush(): void {
    this.#ended = true;
    if (this.#half !== "") this.#push((this.#encoder ??= new TextEncoder()).encode(this.#half));
    if (this.#head !== undefined) this.#framer.push(this.#head, this.#onFrame);
    if (this.#protocol?.raw === true) this.#raw();
    else this.#framer.end(this.#onFrame);
  }

  #close(): readonly StreamEvent[] {
    if (this.#assembler.anyOpen) {
      this.#decide(true);
      this.#wire?.end?.(this.#sink);
      this.#endOfBody();
    }
    this.#closed = true;
    return this.#take();
  }

  /**
   * The source failed: reads what it had given, says the error unless the stream itself had said one, and closes what is
   * open.
   *
   * @param error What the source threw. Errors of the vendors' SDKs hold the vendor's own code and words.
   * @param code The code to give where the error has none.
   */
  fail(error: unknown, code = "source"): readonly StreamEvent[] {
    if (this.#ended) return [];
    this.#flush();
    this.#decide(true);
    const failure = failureOf(error);
    if (!this.errored) this.#assembler.stop(failure.code ?? code, failure.message);
    return this.#close();
  }

  /** The reading was given up: closes what is open; the finish is `cancelled`. */
  cancel(): readonly StreamEvent[] {
    this.#assembler.cancel();
    this.#ended = true;
    this.#closed = true;
    return this.#take();
  }

  #take(): readonly StreamEvent[] {
    const events = this.#events;
    this.#events = undefined;
    return events ?? [];
  }

  #say(event: StreamEvent): void {
    // Most chunks of a slow stream complete one event: an array that is begun with it takes a tenth of the memory.
    if (this.#events === undefined) this.#events = [event];
    else this.#events.push(event);
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
    const room = this.#maxBytes - this.#bytes;
    if (bytes.length <= room) {
      this.#bytes += bytes.length;
      return this.#body(bytes);
    }
    // What stands before the limit is read, however the bytes were cut.
    this.#bytes += room;
    this.#body(bytes.subarray(0, room));
    if (this.over) return;
    this.#decide(true);
    this.#assembler.stop("limit", `The response is longer than ${this.#maxBytes} bytes (maxResponseBytes).`);
  }

  #body(bytes: Uint8Array): void {
    let head = bytes;
    if (!this.#headTold && this.#wire === undefined && this.#detector?.rawWire !== undefined) {
      head = this.#head === undefined ? bytes : joined(this.#head, bytes);
      const wire = this.#detector.rawWire(head.subarray(0, MAX_HEAD));
      this.#headTold = wire !== null || head.length >= MAX_HEAD;
      this.#head = this.#headTold ? undefined : head.slice();
      if (!this.#headTold) return;
      if (wire !== undefined && wire !== null) this.#use(wire);
    }
    if (this.#protocol?.raw === true) this.#raw(head);
    else this.#framer.push(head, this.#onFrame);
  }

  /** The next piece of a body that is one text. */
  #raw(bytes?: Uint8Array): void {
    const text = (this.#decoder ??= new TextDecoder()).decode(bytes, { stream: bytes !== undefined });
    this.#assembler.at = {
      frame: this.#objects++,
      start: this.#bytes - (bytes?.length ?? 0),
      end: this.#bytes,
      ...(this.#time === undefined ? {} : { time: this.#time }),
    };
    if (text !== "" && !this.over) this.#value(text, undefined);
  }

  #object(value: object): void {
    if (this.#objects === 0) this.#assembler.seed({ data: jsonText(value) });
    const at = {
      frame: this.#objects++,
      start: -1,
      end: -1,
      ...(this.#time === undefined ? {} : { time: this.#time }),
    };
    if (this.#wire === undefined) {
      this.#held.push({ value, at });
      this.#look(value, undefined);
      return this.#decide(false);
    }
    this.#assembler.at = at;
    this.#value(value, undefined);
  }

  readonly #onFrame = (frame: Frame, value?: unknown): void => {
    if (this.over) return;
    if (this.#wire !== undefined) return this.#frame(frame, value);
    this.#held.push({ frame });
    this.#look(parse(frame.data), frame.event);
    this.#decide(frame.data.trim() === DONE || isFatal(frame.fault?.code));
  };

  /** `known`: the value of its data, where the framer knows it. */
  #frame(frame: Frame, known?: unknown): void {
    if (this.over) return;
    this.#locate(frame);
    if (frame.fault !== undefined && this.#odd.fault(frame)) return;
    let value = known;
    if (value === undefined) {
      const { data } = frame;
      if (data.length < 16 && data.trim() === DONE) return this.#done();
      value = parse(data);
    }
    if (value === undefined) return this.#odd.notJson(frame);
    this.#odd.sound();
    if (!frame.terminated)
      this.#assembler.notice(
        "final-event-unterminated",
        "The body ended without the blank line after its last event; it was read all the same.",
      );
    this.#value(value, frame.event);
    if (this.#wire !== undefined) this.#fast?.learn(frame, value, this.#wire);
  }

  /** Takes events that only add a fragment, and were not parsed. */
  #fragmentTaker(): FragmentTaker {
    const assembler = this.#assembler;
    let running: CallIdentity | undefined;
    return {
      one: (fragment, values, frame, start, end) => {
        if (this.over) return;
        assembler.at = this.#position(frame, start, end);
        if (this.#fast !== undefined) assembler.seed(this.#fast);
        this.#odd.sound();
        fragment.say(values, this.#sink);
      },
      get runs() {
        return assembler.runs;
      },
      readAhead: (text, start, end) => assembler.readAhead(text, start, end),
      unread: () => assembler.unread(),
      takeAhead: (text) => {
        running = assembler.takeAhead(text);
      },
      more: (text, frame, start, end) => {
        const at = this.#position(frame, start, end);
        assembler.at = at;
        if (text !== "" && running !== undefined) this.#say({ type: "call.append", call: running, text, at });
      },
      textOf: (item) => assembler.textOf(item),
    };
  }

  #locate(frame: Frame): void {
    const { index, start, end } = frame;
    this.#assembler.at = this.#position(index, start, end);
    this.#assembler.seed(frame);
  }

  #position(frame: number, start: number, end: number): WirePosition {
    return this.#time === undefined ? { frame, start, end } : { frame, start, end, time: this.#time };
  }

  #done(): void {
    this.#decide(true);
    this.#assembler.end();
  }

  #endOfBody(): void {
    this.#odd.endOfBody();
    this.#assembler.endOfBody();
  }

  #value(value: unknown, event: string | undefined): void {
    this.#wire?.read(value, this.#sink, event, this.#assembler.at.start < 0 ? undefined : this.#framer.framing);
  }

  /** Looks at a frame for what it says of the wire. */
  #look(value: unknown, event: string | undefined): void {
    const found = this.#detector?.(value, event);
    if (found !== undefined && found.sure > (this.#likeliest?.sure ?? 0)) this.#likeliest = found;
  }

  /** Settles on the likeliest protocol when it is sure enough or must be known `now`, and reads what was held. */
  #decide(now: boolean): void {
    if (this.#wire !== undefined || this.#detector === undefined) return;
    if (!now && (this.#likeliest?.sure ?? 0) < SURE && this.#held.length < DETECTION_FRAMES) return;
    if (this.#held.length === 0) return;
    const protocol = (this.#likeliest ?? this.#detector({ choices: [] }))?.protocol;
    if (protocol === undefined) return;
    const held = this.#held;
    this.#held = [];
    this.#use(protocol);
    for (const each of held) {
      if ("frame" in each) this.#frame(each.frame);
      else if (!this.over) {
        this.#assembler.at = each.at;
        this.#value(each.value, undefined);
      }
    }
  }

  #use(protocol: Protocol): void {
    this.#protocol = protocol;
    const { rescue, tools } = this.#options;
    const raw = protocol.raw === true;
    if (rescue !== undefined && (raw || tools !== undefined))
      this.#sink = rescue(this.#assembler, { tools, raw }) as Sink;
    this.#wire = protocol.start();
  }
}

/** Views of other realms are bytes too. */
function isView(value: object): value is ArrayBufferView {
  return ArrayBuffer.isView(value);
}

function isBuffer(value: object): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

function jsonText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}
