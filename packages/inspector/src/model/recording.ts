// One response as the page holds it: its bytes, its frames, the events and the lanes, grown chunk by chunk so that a live
// response is no other thing than a recorded one. Owns the fold; decides nothing about the wire, which the library reads.

import {
  type CallIdentity,
  type Collected,
  Collector,
  createReader,
  type DeclaredTool,
  type ErrorEvent,
  type FinishEvent,
  type NoticeEvent,
  type ProtocolName,
  type Reader,
  type StreamEvent,
} from "unbraid";
import { rescue } from "unbraid/rescue";
import { ByteStore } from "./byte-store.ts";
import { Column } from "./column.ts";
import { FrameCutter } from "./frame-cutter.ts";
import { Lane, type LaneKind } from "./lane.ts";
import { Summariser, type Summary } from "./summary.ts";

/** How a body is to be read. */
export interface ReadingOptions {
  /** The wire; found from the bytes when absent. */
  readonly protocol?: ProtocolName | undefined;
  /** The tools that the request declared. */
  readonly tools?: readonly DeclaredTool[] | undefined;
}

/** A part of the body as it came. */
export interface Piece {
  /** The bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** When they came, in milliseconds of any clock; NaN where that is not known. */
  readonly time: number;
}

/** Something to pin on the time line. */
export interface Pin {
  /** The frame at which it happened. */
  readonly frame: number;
  /** What happened. */
  readonly event: NoticeEvent | ErrorEvent | FinishEvent;
}

/** A response, recorded or coming. */
export class Recording {
  /** The bytes. */
  readonly bytes: ByteStore = new ByteStore();
  /** What was said, in order. */
  readonly events: StreamEvent[] = [];
  /** The lanes in order of first sight. */
  readonly lanes: Lane[] = [];
  /** Notices, errors and the finish. */
  readonly pins: Pin[] = [];
  /** Byte offset of each frame's first byte. */
  readonly frameStarts: Column = new Column();
  /** Byte offset just after each frame. */
  readonly frameEnds: Column = new Column();
  /** When each frame was whole, in milliseconds after the first chunk, never falling; NaN where no times are known. */
  readonly frameTimes: Column = new Column();
  readonly #options: ReadingOptions;
  readonly #reader: Reader;
  readonly #cutter: FrameCutter;
  readonly #collector: Collector = new Collector();
  readonly #summariser: Summariser = new Summariser();
  readonly #byKey: Map<string, Lane> = new Map();
  readonly #eventFrames: Column = new Column();
  #firstTime = Number.NaN;
  #lastFrame = 0;
  #calls = 0;
  #over = false;
  #revision = 0;
  #collected: { readonly revision: number; readonly value: Collected } | undefined;

  /** @param options How it is to be read. */
  constructor(options: ReadingOptions = {}) {
    this.#options = options;
    this.#reader = createReader({
      rescue,
      ...(options.protocol === undefined ? {} : { protocol: options.protocol }),
      ...(options.tools === undefined ? {} : { tools: options.tools }),
    });
    this.#cutter = new FrameCutter((start, end) => this.#frame(start, end));
  }

  /**
   * Reads a whole body. A model's raw text has no frames: where no times are known either, it is cut behind each word, so
   * that there is something to follow.
   */
  static of(pieces: readonly Piece[], options: ReadingOptions = {}): Recording {
    const recording = new Recording(options);
    for (const { bytes, time } of pieces) recording.push(bytes, time);
    recording.end();
    if (recording.protocol !== "text" || recording.timed) return recording;
    const words = new Recording(options);
    for (const bytes of wordsOf(recording.bytes.slice(0, recording.bytes.length))) words.push(bytes, Number.NaN);
    words.end();
    return words;
  }

  /** How it is read. */
  get options(): ReadingOptions {
    return this.#options;
  }

  /** The wire; undefined until it has been found. */
  get protocol(): ProtocolName | undefined {
    return this.#reader.protocol;
  }

  /** How the body is cut into frames. */
  get framing(): string | undefined {
    return this.protocol === "text" ? "text" : this.#cutter.framing;
  }

  /** How many frames there are. */
  get frames(): number {
    return this.frameEnds.length;
  }

  /** Whether arrival times are known that differ. */
  get timed(): boolean {
    return this.duration > 0;
  }

  /** Milliseconds between the first and the last frame; 0 where no times are known. */
  get duration(): number {
    const last = this.frameTimes.at(this.frames - 1);
    return Number.isNaN(last) ? 0 : last;
  }

  /** True once the body has ended. */
  get over(): boolean {
    return this.#over;
  }

  /** Grows with every change. */
  get revision(): number {
    return this.#revision;
  }

  /** The events folded. */
  get collected(): Collected {
    if (this.#collected?.revision !== this.#revision)
      this.#collected = { revision: this.#revision, value: this.#collector.result };
    return this.#collected.value;
  }

  /** The line of the list. */
  get summary(): Summary {
    return this.#summariser.summary(this.protocol, this.#over);
  }

  /** Takes the next chunk, which came at a time in milliseconds of any clock; NaN where that is not known. */
  push(bytes: Uint8Array, time: number): void {
    if (this.#over) return;
    this.#revision++;
    if (Number.isNaN(this.#firstTime)) this.#firstTime = time;
    const start = this.bytes.length;
    this.bytes.push(bytes, time - this.#firstTime);
    this.#summariser.chunk(bytes.length, time);
    const wasText = this.protocol === "text";
    const events = this.#reader.push(bytes);
    if (this.protocol !== "text") this.#cutter.push(bytes);
    else if (wasText) this.#frame(start, this.bytes.length);
    else this.#framesOfChunks();
    this.#take(events);
  }

  /** Ends the body. */
  end(): void {
    if (this.#over) return;
    this.#revision++;
    const events = this.#reader.end();
    this.#over = true;
    if (this.protocol === "text") {
      if (this.frames < this.bytes.chunks) this.#framesOfChunks();
    } else this.#cutter.end();
    this.#take(events);
  }

  /** The body turned out to be one text: its frames are its chunks. */
  #framesOfChunks(): void {
    for (const column of [this.frameStarts, this.frameEnds, this.frameTimes]) column.clear();
    let start = 0;
    for (const { bytes } of this.bytes.all()) {
      this.#frame(start, start + bytes.length);
      start += bytes.length;
    }
  }

  #frame(start: number, end: number): void {
    const before = this.frameTimes.at(this.frames - 1);
    const time = this.bytes.timeBefore(end);
    this.frameStarts.push(start);
    this.frameEnds.push(end);
    // A clock that goes back would break every search: it stands still instead.
    this.frameTimes.push(time < before ? before : time);
  }

  /** The frame of an event: one that there is, and never one before that of the event before it. */
  #frameOf(event: StreamEvent): number {
    const frame = Math.min(event.at.frame, Math.max(0, this.frames - 1));
    return (this.#lastFrame = Math.max(this.#lastFrame, frame));
  }

  #take(events: readonly StreamEvent[]): void {
    for (const event of events) {
      const frame = this.#frameOf(event);
      this.events.push(event);
      this.#eventFrames.push(frame);
      this.#collector.add(event);
      this.#summariser.take(event);
      this.#fold(event, frame);
    }
  }

  #fold(event: StreamEvent, frame: number): void {
    switch (event.type) {
      case "call.start":
        this.#addLane(new Lane("call", event.call.key, ++this.#calls, frame, event.call));
        return;
      case "call.append":
        this.#callLane(event.call, frame).append(event.text, frame);
        return;
      case "call.replace":
        this.#callLane(event.call, frame).replace(event.text, frame);
        return;
      case "call.close": {
        const lane = this.#callLane(event.call, frame);
        lane.call = lane.closed = event.call;
        lane.endFrame = frame;
        return;
      }
      case "call.retract": {
        const lane = this.#callLane(event.call, frame);
        lane.retracted = event.reason;
        lane.endFrame = Math.min(lane.endFrame, frame);
        return;
      }
      case "text":
      case "reasoning":
        this.#speech(event.type, event.choice, frame).append(event.text, frame);
        return;
      case "notice":
      case "error":
      case "finish":
        this.pins.push({ frame, event });
        return;
      case "response":
      case "call.answered":
      case "part":
      case "usage":
    }
  }

  #callLane(call: CallIdentity, frame: number): Lane {
    return this.#byKey.get(call.key) ?? this.#addLane(new Lane("call", call.key, ++this.#calls, frame, call));
  }

  #speech(kind: LaneKind, choice: number, frame: number): Lane {
    const id = `${kind}:${choice}`;
    return this.#byKey.get(id) ?? this.#addLane(new Lane(kind, id, choice, frame));
  }

  #addLane(lane: Lane): Lane {
    this.lanes.push(lane);
    this.#byKey.set(lane.id, lane);
    return lane;
  }

  /** The lane of a call by its key, or of `text:0`, `reasoning:0`. */
  lane(id: string): Lane | undefined {
    return this.#byKey.get(id);
  }

  /** The lane that an event belongs to. */
  laneOf(event: StreamEvent): Lane | undefined {
    if ("call" in event && typeof event.call === "object") return this.#byKey.get(event.call.key);
    if (event.type === "notice" && event.call !== undefined) return this.#byKey.get(event.call);
    if (event.type === "text" || event.type === "reasoning") return this.#byKey.get(`${event.type}:${event.choice}`);
    return undefined;
  }

  /** What was said of a frame. */
  eventsOf(frame: number): readonly StreamEvent[] {
    return this.events.slice(this.#eventFrames.below(frame), this.#eventFrames.upTo(frame));
  }

  /** Where a frame stands on the time line. */
  position(frame: number, axis: Axis): number {
    return axis === "time" ? this.frameTimes.at(frame) : frame;
  }

  /** The last frame that had come at a place on the time line; -1 before the first. */
  frameAt(position: number, axis: Axis): number {
    const frames = axis === "time" ? this.frameTimes.upTo(position) : Math.floor(position) + 1;
    return Math.max(-1, Math.min(this.frames, frames) - 1);
  }
}

/** What the time line shows: milliseconds, or numbers of frames. */
export type Axis = "time" | "frame";

/** Pieces of a text, each ending behind white space or with the text. */
function* wordsOf(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  let start = 0;
  for (let at = 1; at < bytes.length; at++) {
    const space = isSpace(bytes[at - 1]) && !isSpace(bytes[at]);
    if (!space && at - start < LONGEST_WORD) continue;
    yield bytes.subarray(start, at);
    start = at;
  }
  if (start < bytes.length) yield bytes.subarray(start);
}

/** Bytes of text without a space that are one piece. */
const LONGEST_WORD = 24;

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
