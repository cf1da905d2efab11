// The push form: bytes, strings or an SDK's objects in, events out, at once. Owns the way from a chunk to a frame to its
// JSON value to the protocol, and what happens to frames that are not JSON. Knows no vendor.

import { Assembler } from "./assembly/assembler.ts";
import type { Sink } from "./assembly/sink.ts";
import { withDefaults } from "./assembly/limits.ts";
import type { CallCloseEvent, StreamEvent, WirePosition } from "./events.ts";
import { failureOf } from "./failure.ts";
import { DONE, OddFrames, parse } from "./odd-frames.ts";
import type { FastPath } from "./fast-path.ts";
import { AutoFramer } from "./framing/auto.ts";
import type { ExtraFraming, Frame, Framer } from "./framing/frame.ts";
import type { FragmentHost } from "./parts/fast-path.ts";
import type { FieldListener, LiveValues } from "./parts/live-values.ts";
import type { Protocol, ProtocolReader, ProtocolName } from "./protocols/protocol.ts";
import { checkedOptions, type ReaderOptions } from "./reader-options.ts";

export type { ReaderOptions } from "./reader-options.ts";

/** What came before the wire was known: a frame, or an object with its position. */
export type Held =
  | { readonly frame: Frame }
  | { readonly frame?: undefined; readonly value: object; readonly at: WirePosition };

/** Finds the wire of one response from what comes first. */
export interface Finder {
  /** What takes the words of all its wires. */
  readonly assembler: typeof Assembler;
  /** The framings that only some of its wires come in. */
  readonly extraFramings: readonly ExtraFraming[];
  /** What came before the wire was known. */
  readonly held: readonly Held[];
  /** Takes bytes, and gives those that can be framed now, and the wire where they tell. */
  begin(bytes: Uint8Array): { readonly bytes?: Uint8Array; readonly protocol?: Protocol };
  /** The bytes that it still has, at the end of the body. */
  rest(): Uint8Array | undefined;
  /** Holds what came, and gives the wire where that tells. */
  take(held: Held): Protocol | undefined;
  /** The likeliest wire, now that it must be known; undefined where nothing has come. */
  decide(): Protocol | undefined;
}

/** Makes what finds the wire, where none was named. */
export type Detector = () => Finder;

/**
 * Reads one response as it comes. Made by a protocol's `reader()` or by `createReader()`.
 *
 * @example
 * const reader = createReader({ protocol: openaiChat });
 * for (const event of reader.push('data: {"choices":[]}\n\n')) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export class Reader {
  #framer: Framer;
  readonly #assembler: Assembler;
  readonly #options: ReaderOptions;
  readonly #clock: (() => number) | undefined;
  /** Until the wire is known. */
  #finder: Finder | undefined;
  readonly #maxBytes: number;
  readonly #live: LiveValues | undefined;
  #events: StreamEvent[] | undefined;
  #protocol: Protocol | undefined;
  #wire: ProtocolReader | undefined;
  #fast: FastPath | undefined;
  /** What the protocol speaks to: the assembler, or a stage in front of it. */
  #sink: Sink;
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
   * @param given See `ReaderOptions`.
   * @throws TypeError where an option is not known or is of another kind, or a limit is no whole number above 0.
   */
  constructor(protocol: Protocol | Detector, given: ReaderOptions = {}) {
    const options = checkedOptions(given);
    const limits = withDefaults(options.limits);
    this.#maxBytes = limits.maxResponseBytes;
    this.#clock = options.clock;
    this.#options = options;
    this.#live = options.liveValues?.();
    const known = typeof protocol === "function" ? undefined : protocol;
    this.#finder = typeof protocol === "function" ? protocol() : undefined;
    const { assembler: Made = Assembler, extraFramings } = this.#finder ?? known ?? {};
    this.#assembler = new Made((event) => this.#say(event), limits, options.tools);
    this.#sink = this.#assembler;
    this.#odd = new OddFrames(this.#assembler, {
      over: () => this.over,
      decide: () => this.#decide(),
      done: () => this.#done(),
      value: (value, event) => this.#value(value, event),
    });
    this.#framer = new AutoFramer({
      framing: options.framing,
      maxFrameBytes: limits.maxFrameBytes,
      extra: extraFramings,
      sse: (limit, offset) => this.#fast?.framer(limit, offset),
    });
    if (known !== undefined) this.#use(known);
    const { fastPath } = options;
    // Of no use to a wire that describes no fragments.
    if (typeof fastPath === "function" && (this.#wire === undefined || this.#wire.fragment !== undefined))
      this.#fast = fastPath(this.#fragmentHost()) as FastPath;
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
   * @throws TypeError where the path cannot be read, or the reader was made without live values.
   * @example
   * reader.follow("write_file", "$.content", (text, { done }) => editor.insert(text));
   */
  follow(tool: string, path: string, listener: FieldListener): void {
    this.#liveValues().follow(tool, path, listener);
  }

  /**
   * The value so far of a call's arguments. Costs what is new since the last time it was read.
   *
   * @param key The call's key.
   * @returns A live value that grows in place (copy it to keep it); undefined before the first character, for free text
   *   and for an unknown key.
   * @throws TypeError where the reader was made without live values.
   */
  partial(key: string): unknown {
    return this.#liveValues().partial(key, () => this.#assembler.given());
  }

  #liveValues(): LiveValues {
    if (this.#live === undefined)
      throw new TypeError(
        'This reader has no live values: import { liveValues } from "unbraid/parts" and make it with { liveValues }.',
      );
    return this.#live;
  }

  /**
   * Takes the next piece of the body.
   *
   * @param chunk Bytes; a string, which is taken as UTF-8; or an object that a vendor's SDK made of one frame.
   * @returns The events that it completed, in order; often none.
   * @throws TypeError after `end`, and for what is none of these.
   */
  push(chunk: Uint8Array | string | object): readonly StreamEvent[] {
    if (this.#ended) throw new TypeError("push() after end(): make a new reader for the next response");
    if (this.over) return this.#take();
    this.#time = this.#clock?.();
    if (typeof chunk === "string") this.#string(chunk);
    else if (chunk instanceof Uint8Array) this.#push(chunk);
    else if (isView(chunk)) this.#push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    else if (isBuffer(chunk)) this.#push(new Uint8Array(chunk));
    else if (typeof chunk === "object") this.#object(chunk);
    else throw new TypeError("push() takes bytes, text or an object");
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
    const rest = this.#finder?.rest();
    if (rest !== undefined) this.#framer.push(rest, this.#onFrame);
    this.#framer.end(this.#onFrame);
  }

  #close(): readonly StreamEvent[] {
    if (this.#assembler.anyOpen) {
      this.#decide();
      this.#wire?.end?.(this.#sink);
      this.#odd.endOfBody();
      this.#assembler.endOfBody();
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
    this.#decide();
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

  #say(said: StreamEvent): void {
    const event = said.type === "call.close" ? this.#repaired(said) : said;
    // Most chunks of a slow stream complete one event: an array that is begun with it takes a tenth of the memory.
    if (this.#events === undefined) this.#events = [event];
    else this.#events.push(event);
    this.#live?.take(event);
  }

  #repaired(event: CallCloseEvent): CallCloseEvent {
    const { call } = event;
    if (call.status !== "malformed") return event;
    try {
      const repair = this.#options.repair?.(call, this.#options.tools);
      return repair === undefined ? event : { ...event, call: { ...call, repair } };
    } catch {
      // A part of the user's own that throws: a call that is closed must be said to be.
      return event;
    }
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
    this.#decide();
    this.#assembler.stop("limit", `The response is longer than ${this.#maxBytes} bytes (maxResponseBytes).`);
  }

  #body(bytes: Uint8Array): void {
    const begun = this.#finder?.begin(bytes);
    this.#found(begun?.protocol);
    const ready = begun === undefined ? bytes : begun.bytes;
    if (ready !== undefined) this.#framer.push(ready, this.#onFrame);
  }

  #object(value: object): void {
    if (this.#objects === 0) this.#assembler.seed({ data: jsonText(value) });
    const at = this.#position(this.#objects++, -1, -1);
    if (this.#finder !== undefined) return this.#found(this.#finder.take({ value, at }));
    this.#assembler.at = at;
    this.#value(value, undefined);
  }

  readonly #onFrame = (frame: Frame, value?: unknown): void => {
    if (this.over) return;
    if (this.#finder === undefined) this.#frame(frame, value);
    else this.#found(this.#finder.take({ frame }));
  };

  /** `known`: the value of its data, where the framer knows it. */
  #frame(frame: Frame, known?: unknown): void {
    if (this.over) return;
    this.#assembler.at = this.#position(frame.index, frame.start, frame.end);
    // How a text is cut says nothing: no id is made of it.
    if (this.#protocol?.raw !== undefined) return this.#value(frame.data, undefined);
    this.#assembler.seed(frame);
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

  /** What the fast path needs of the reader. */
  #fragmentHost(): FragmentHost {
    return {
      assembler: this.#assembler,
      fragment: (fragment, values, frame, start, end) => {
        const fast = this.#fast;
        if (fast === undefined || this.over) return;
        this.#assembler.at = this.#position(frame, start, end);
        this.#assembler.seed(fast);
        this.#odd.sound();
        fragment.say(values, this.#sink);
      },
      position: (frame, start, end) => this.#position(frame, start, end),
      say: (event) => this.#say(event),
    };
  }

  #position(frame: number, start: number, end: number): WirePosition {
    return this.#time === undefined ? { frame, start, end } : { frame, start, end, time: this.#time };
  }

  #done(): void {
    this.#decide();
    this.#assembler.end();
  }

  /** Reads a message, or each of an array of them: some servers send an array where a stream was promised. */
  #value(value: unknown, event: string | undefined): void {
    const framing = this.#assembler.at.start < 0 ? undefined : this.#framer.framing;
    if (!Array.isArray(value)) return this.#wire?.read(value, this.#sink, event, framing);
    for (const each of value) if (!this.over) this.#wire?.read(each, this.#sink, event, framing);
  }

  /** The wire must be known now. */
  #decide(): void {
    this.#found(this.#finder?.decide());
  }

  /** Reads what was held, if the wire has been found. */
  #found(protocol: Protocol | undefined): void {
    const finder = this.#finder;
    if (protocol === undefined || finder === undefined) return;
    this.#finder = undefined;
    this.#use(protocol);
    for (const each of finder.held) {
      if (each.frame !== undefined) this.#frame(each.frame);
      else if (!this.over) {
        this.#assembler.at = each.at;
        this.#value(each.value, undefined);
      }
    }
  }

  #use(protocol: Protocol): void {
    this.#protocol = protocol;
    const { rescue, tools } = this.#options;
    const raw = protocol.raw !== undefined;
    if (protocol.raw !== undefined) this.#framer = protocol.raw();
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
    // Of undefined, which a source of objects may give, it makes no text.
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
