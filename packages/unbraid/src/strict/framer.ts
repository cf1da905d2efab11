// A body cut into frames by the rules of its format alone. Owns Server-Sent Events as the HTML Standard has them (9.2.5 and
// 9.2.6), lines of JSON where the vendor promises them, and a body that is one JSON document; what is none of these is a frame
// with a fault. Unlike the standard it gives out the event that the body's end cuts off, with `terminated: false`.

import { fieldValue, isUnknownField } from "../framing/sse-lines.ts";
import {
  type EmitFrame,
  excerpt,
  type Frame,
  type Framer,
  type FramingName,
  overlongFrame,
  STRAY_TEXT,
} from "../framing/frame.ts";
import { type LineReader, Lines } from "../framing/lines.ts";

/** The byte order mark, where it may stand. */
const MARK = "\uFEFF";

/** See the file's head. */
export class StrictFramer implements Framer, LineReader {
  /** Undefined until the first line has come. */
  framing: FramingName | undefined;
  readonly #promised: FramingName;
  readonly #limit: number;
  readonly #lines: Lines = new Lines(this, 0);
  #count = 0;
  /** Body offset of the open frame's first byte; -1: none is open. */
  #start = -1;
  #data: string | undefined;
  #event: string | undefined;
  /** A frame passed the limit: nothing behind it is read. */
  #over = false;
  #emit: EmitFrame = () => {};

  /**
   * @param promised How the vendor frames the wire.
   * @param limit Longest frame in bytes.
   */
  constructor(promised: FramingName, limit: number) {
    this.#promised = promised;
    this.#limit = limit;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    this.#emit = emit;
    this.#lines.push(bytes);
  }

  end(emit: EmitFrame): void {
    this.#emit = emit;
    this.#lines.finish();
    if (this.#data !== undefined) this.#dispatch(this.#lines.offset, this.framing !== "sse");
  }

  refuseLine(start: number, stop: number): boolean {
    const tooLong = stop - (this.#start < 0 ? start : this.#start) > this.#limit;
    if (tooLong && !this.#over) {
      this.#over = true;
      this.#data = undefined;
      this.#emit(overlongFrame("", this.#start < 0 ? start : this.#start, this.#count++, this.#limit));
    }
    return tooLong;
  }

  readLines(lines: Lines): void {
    while (lines.next()) {
      if (this.#over || this.refuseLine(lines.start, lines.stop)) continue;
      if (lines.start === 0 && lines.text.startsWith(MARK)) lines.at++;
      const line = lines.text.slice(lines.at, lines.end);
      this.framing ??= this.#framingOf(line.trimStart());
      if (this.framing === "sse") this.#readField(line, lines);
      else if (line.trim() !== "") this.#readJson(line, lines);
    }
  }

  /** How the body is framed, told from its first line that is not blank. */
  #framingOf(line: string): FramingName | undefined {
    if (line === "") return undefined;
    if (!line.startsWith("{") && !line.startsWith("[")) return "sse";
    return this.#promised === "ndjson" ? "ndjson" : "json";
  }

  #readJson(line: string, { start, stop }: Lines): void {
    this.#add(line, start);
    if (this.framing === "ndjson") this.#dispatch(stop, true);
  }

  #readField(line: string, { start, stop, after }: Lines): void {
    if (line === "") {
      if (this.#data !== undefined) this.#dispatch(after, true);
      this.#start = -1;
      this.#event = undefined;
      return;
    }
    if (line.startsWith(":")) return;
    const data = fieldValue(line, "data");
    if (data !== undefined) return this.#add(data, start);
    const name = fieldValue(line, "event");
    if (name !== undefined) this.#event = name || undefined;
    // The standard passes over fields that it does not know; words are no field.
    else if (!isUnknownField(line)) this.#stray(line, start, stop);
    if (this.#start < 0) this.#start = start;
  }

  #add(line: string, start: number): void {
    if (this.#start < 0) this.#start = start;
    this.#data = this.#data === undefined ? line : `${this.#data}\n${line}`;
  }

  #stray(line: string, start: number, end: number): void {
    this.#say({ data: excerpt(line), event: undefined, start, end, terminated: true, fault: STRAY_TEXT });
  }

  #dispatch(end: number, terminated: boolean): void {
    const { data, event, start } = { data: this.#data ?? "", event: this.#event, start: this.#start };
    this.#data = this.#event = undefined;
    this.#start = -1;
    this.#say({ data, event, start, end, terminated, fault: undefined });
  }

  #say(frame: Omit<Frame, "index">): void {
    this.#emit({ ...frame, index: this.#count++ });
  }
}
