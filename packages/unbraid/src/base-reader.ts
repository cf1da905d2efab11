// The push form: bytes, strings or an SDK's objects in, events out, at once. Owns the way from a chunk to a frame to its
// JSON value to the protocol. What is made of bytes, frames and keys that are not as they should be, the rules decide that a
// reader is made with. Knows no vendor.

import type { DeclaredTool } from "./assembly/declared-tools.ts";
import { textOfValue } from "./assembly/json-texts.ts";
import type { ResponseAssembler } from "./assembly/response-assembler.ts";
import type { Sink } from "./assembly/sink.ts";
import { type Limits, withDefaults } from "./assembly/limits.ts";
import type { CallCloseEvent, StreamEvent, WirePosition } from "./events.ts";
import { failureOf } from "./failure.ts";
import type { Frame, Framer, FramingOptions } from "./framing/frame.ts";
import { DONE, parse } from "./framing/glued.ts";
import type { FrameJudge, FrameTaker } from "./odd-frames.ts";
import type { FieldListener, LiveValues } from "./parts/live-values.ts";
import type { Protocol, ProtocolReader, ProtocolName } from "./protocols/protocol.ts";
import type { Reader } from "./reader.ts";
import { isArrayBuffer } from "./sources.ts";
import { checkedOptions, type ReaderOptions } from "./reader-options.ts";

/** What a reader does with bytes, frames and keys. */
export interface ReadingRules {
  /** Makes what takes the words of the protocol; it is the protocol's sink. */
  assembler(
    say: (event: StreamEvent) => void,
    limits: Limits,
    tools: readonly DeclaredTool[] | undefined,
  ): ResponseAssembler & Sink;
  /** Makes what cuts the body into frames. */
  framer(options: FramingOptions): Framer;
  /** Makes what judges frames that are not what they should be. */
  oddFrames(assembler: ResponseAssembler, to: FrameTaker): FrameJudge;
}

/** Reads one response as it comes, by the rules that it is made with: those for wires as servers break them, or strict ones. */
export class BaseReader implements Reader {
  /** Cuts the body into frames. */
  protected framer: Framer;
  /** Takes the protocol's words, and knows how the response stands. */
  protected readonly assembler: ResponseAssembler & Sink;
  /** The checked options. */
  protected readonly options: ReaderOptions;
  readonly #clock: (() => number) | undefined;
  readonly #maxBytes: number;
  readonly #live: LiveValues | undefined;
  #events: StreamEvent[] | undefined;
  /** The wire, once it is known. */
  protected known: Pick<Protocol, "name" | "raw"> | undefined;
  /** Reads its frames. */
  protected wire: ProtocolReader | undefined;
  /** What the protocol speaks to: the assembler, or a stage in front of it. */
  protected sink: Sink;
  #bytes = 0;
  #objects = 0;
  #time: number | undefined;
  /** The high half of a surrogate pair that a string chunk ended in. */
  #half = "";
  #encoder: TextEncoder | undefined;
  /** Judges frames. */
  protected readonly odd: FrameJudge;
  #ended = false;
  /** What was open is closed: nothing more will be said. */
  #closed = false;

  /**
   * @param protocol The wire, where it is known.
   * @param given See `ReaderOptions`.
   * @param rules By which it reads.
   * @throws TypeError where an option is not known or is of another kind, or a limit is no whole number above 0.
   */
  constructor(protocol: Pick<Protocol, "name" | "start"> | undefined, given: ReaderOptions, rules: ReadingRules) {
    const options = checkedOptions(given);
    const limits = withDefaults(options.limits);
    this.#maxBytes = limits.maxResponseBytes;
    this.#clock = options.clock;
    this.options = options;
    this.#live = options.liveValues?.();
    this.sink = this.assembler = rules.assembler((event) => this.say(event), limits, options.tools);
    this.odd = rules.oddFrames(this.assembler, {
      over: () => this.over,
      decide: () => this.decide(),
      done: () => this.#done(),
      value: (value, event) => this.value(value, event),
    });
    this.framer = rules.framer({
      framing: options.framing,
      maxFrameBytes: limits.maxFrameBytes,
      sse: (limit, offset) => this.skim(limit, offset),
    });
    // Fields of who builds on this are not there yet: `use` may touch only those of this class.
    if (protocol !== undefined) this.use(protocol);
  }

  get protocol(): ProtocolName | undefined {
    return this.known?.name;
  }

  get over(): boolean {
    return this.assembler.over && !this.#goesOn;
  }

  /** Whether a response after this one may follow on the wire. */
  get #goesOn(): boolean {
    return this.wire?.session === true && !this.#closed && !this.assembler.stopped;
  }

  refused(status: number): void {
    this.assembler.status = status;
  }

  get errored(): boolean {
    return this.assembler.errored;
  }

  get finishing(): boolean {
    return this.assembler.finishing && !this.#goesOn;
  }

  follow(tool: string, path: string, listener: FieldListener): void {
    this.#liveValues().follow(tool, path, listener);
  }

  partial(key: string): unknown {
    return this.#liveValues().partial(key, () => this.assembler.given());
  }

  #liveValues(): LiveValues {
    if (this.#live === undefined)
      throw new TypeError('This reader has no live values: make it with { liveValues } of "unbraid/parts".');
    return this.#live;
  }

  push(chunk: Uint8Array | string | object): readonly StreamEvent[] {
    if (this.#ended) throw new TypeError("push() after end(): make a new reader for the next response");
    if (this.over) return this.#take();
    this.#time = this.#clock?.();
    if (typeof chunk === "string") this.#string(chunk);
    else if (chunk instanceof Uint8Array) this.#push(chunk);
    else if (isView(chunk)) this.#push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    else if (isArrayBuffer(chunk)) this.#push(new Uint8Array(chunk));
    else if (typeof chunk === "object") this.#object(chunk);
    else throw new TypeError("push() takes bytes, text or an object");
    return this.#take();
  }

  end(): readonly StreamEvent[] {
    if (this.#ended) return [];
    this.#flush();
    return this.#close();
  }

  /** Reads what stands in the buffers. */
  #flush(): void {
    this.#ended = true;
    if (this.#half !== "") this.#push((this.#encoder ??= new TextEncoder()).encode(this.#half));
    const rest = this.rest();
    if (rest !== undefined) this.framer.push(rest, this.#onFrame);
    this.framer.end(this.#onFrame);
  }

  #close(): readonly StreamEvent[] {
    if (this.assembler.anyOpen) {
      this.decide();
      this.wire?.end?.(this.sink);
      this.odd.endOfBody?.();
      this.assembler.endOfBody();
    }
    this.#closed = true;
    return this.#take();
  }

  fail(error: unknown, code = "source"): readonly StreamEvent[] {
    if (this.#ended) return [];
    this.#flush();
    this.decide();
    const failure = failureOf(error);
    // What stood in the buffers may have ended the response: nothing is said behind its finish.
    if (!this.errored && !this.over) this.assembler.stop(failure.code ?? code, failure.message);
    return this.#close();
  }

  cancel(): readonly StreamEvent[] {
    this.assembler.cancel();
    this.#ended = true;
    this.#closed = true;
    return this.#take();
  }

  #take(): readonly StreamEvent[] {
    const events = this.#events;
    this.#events = undefined;
    return events ?? [];
  }

  /** Gives out an event. */
  protected say(said: StreamEvent): void {
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
      const repair = this.options.repair?.(call, this.options.tools);
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
      return this.body(bytes);
    }
    // What stands before the limit is read, however the bytes were cut.
    this.#bytes += room;
    this.body(bytes.subarray(0, room));
    if (this.over) return;
    this.decide();
    this.assembler.stop("limit", `The response is longer than ${this.#maxBytes} bytes (maxResponseBytes).`);
  }

  /** Takes bytes that are within the limit. */
  protected body(bytes: Uint8Array): void {
    this.framer.push(bytes, this.#onFrame);
  }

  /** Bytes that were taken and not read, at the end of the body. */
  protected rest(): Uint8Array | undefined {
    return undefined;
  }

  #object(value: object): void {
    if (this.#objects === 0) this.assembler.seed({ data: textOfValue(value) ?? "" });
    this.object(value, this.position(this.#objects++, -1, -1));
  }

  /** Takes an object, in the place of a frame. */
  protected object(value: object, at: WirePosition): void {
    if (this.over) return;
    this.assembler.at = at;
    this.value(value, undefined);
  }

  readonly #onFrame = (frame: Frame, value?: unknown): void => {
    if (!this.over) this.frame(frame, value);
  };

  /**
   * Takes a frame.
   *
   * @param known The value of its data, where the framer knows it.
   */
  protected frame(frame: Frame, known?: unknown): void {
    this.assembler.at = this.position(frame.index, frame.start, frame.end);
    this.assembler.seed(frame);
    if (frame.fault !== undefined && this.odd.fault(frame)) return;
    let value = known;
    if (value === undefined) {
      const { data } = frame;
      if (data.length < 16 && data.trim() === DONE) return this.#done();
      value = parse(data);
    }
    if (value === undefined) return this.odd.notJson(frame);
    this.odd.sound?.();
    if (!frame.terminated)
      this.assembler.notice(
        "final-event-unterminated",
        "The last event lacked its blank line; it was read all the same.",
      );
    this.value(value, frame.event);
    this.learn(frame, value);
  }

  /** A sound frame was read. */
  protected learn(_frame: Frame, _value: unknown): void {}

  /** Makes what reads an SSE body from offset `offset` on in the place of the framer's own way, or undefined. */
  protected skim(_limit: number, _offset: number): Framer | undefined {
    return undefined;
  }

  /** Where a frame stands, and when it came. */
  protected position(frame: number, start: number, end: number): WirePosition {
    return this.#time === undefined ? { frame, start, end } : { frame, start, end, time: this.#time };
  }

  #done(): void {
    this.decide();
    this.assembler.end();
  }

  /** Reads a message, or each of an array of them: some servers send an array where a stream was promised. */
  protected value(value: unknown, event: string | undefined): void {
    const framing = this.assembler.at.start < 0 ? undefined : this.framer.framing;
    if (!Array.isArray(value)) return this.wire?.read(value, this.sink, event, framing);
    for (const each of value) if (!this.over) this.wire?.read(each, this.sink, event, framing);
  }

  /** The wire must be known now. */
  protected decide(): void {}

  /** The wire is known. */
  protected use(protocol: Pick<Protocol, "name" | "start">): void {
    this.known = protocol;
    this.wire = protocol.start();
  }
}

/** Views of other realms are bytes too. */
function isView(value: object): value is ArrayBufferView {
  return ArrayBuffer.isView(value);
}
