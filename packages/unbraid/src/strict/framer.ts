// A body cut into frames by the rules of its format alone. Owns Server-Sent Events as the HTML Standard has them (9.2.5 and
// 9.2.6), lines of JSON where the vendor promises them, and a body that is one JSON document; what is none of these is a frame
// with a fault. Unlike the standard it gives out the event that the body's end cuts off, with `terminated: false`.

import { fieldValue, isUnknownField } from "../framing/sse-lines.ts";
import {
  type EmitFrame,
  type FrameFault,
  type Framer,
  type FramingName,
  NOT_A_STREAM,
  overlongFrame,
  STRAY_TEXT,
} from "../framing/frame.ts";
import { type LineReader, Lines } from "../framing/lines.ts";

/** The byte order mark, where it may stand. */
const MARK = "\uFEFF";

/** See the file's head. */
export class StrictFramer implements Framer, LineReader {
  /** As it was told, else as the first line that is not blank shows. */
  framing: FramingName | undefined;
  /** The framing of a body that begins with JSON. */
  readonly #json: FramingName;
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
   * @param told How the body is framed, whatever its first bytes say.
   */
  constructor(promised: FramingName, limit: number, told?: FramingName) {
    this.#json = promised === "ndjson" ? promised : "json";
    this.#limit = limit;
    this.framing = told;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    this.#emit = emit;
    this.#lines.push(bytes);
  }

  end(emit: EmitFrame): void {
    this.#emit = emit;
    this.#lines.finish();
    const { framing } = this;
    if (this.#data === undefined) return;
    const terminated = framing === "text" || (framing !== "sse" && /[}\]]\s*$/.test(this.#data));
    this.#dispatch(this.#lines.offset, terminated, framing === "text" ? NOT_A_STREAM : undefined);
  }

  refuseLine(start: number, stop: number): boolean {
    const first = this.#start < 0 ? start : this.#start;
    const tooLong = stop - first > this.#limit;
    if (tooLong && !this.#over) {
      this.#over = true;
      this.#data = undefined;
      this.#emit(overlongFrame("", first, this.#count++, this.#limit));
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

  #framingOf(line: string): FramingName | undefined {
    if (line === "") return undefined;
    if (line.startsWith("{") || line.startsWith("[")) return this.#json;
    return line.startsWith(":") || isUnknownField(line) ? "sse" : "text";
  }

  #readJson(line: string, { start, stop }: Lines): void {
    this.#add(line, start);
    if (this.framing === "ndjson") this.#dispatch(stop, true);
  }

  #readField(line: string, { start, stop, after }: Lines): void {
    if (line === "") {
      if (this.#data !== undefined) return this.#dispatch(after, true);
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
    else if (!isUnknownField(line)) this.#say(line, undefined, start, stop, true, STRAY_TEXT);
    if (this.#start < 0) this.#start = start;
  }

  #add(line: string, start: number): void {
    if (this.#start < 0) this.#start = start;
    this.#data = this.#data === undefined ? line : `${this.#data}\n${line}`;
  }

  #dispatch(end: number, terminated: boolean, fault?: FrameFault): void {
    const data = this.#data ?? "";
    const event = this.#event;
    const start = this.#start;
    this.#data = this.#event = undefined;
    this.#start = -1;
    this.#say(data, event, start, end, terminated, fault);
  }

  #say(
    data: string,
    event: string | undefined,
    start: number,
    end: number,
    terminated: boolean,
    fault: FrameFault | undefined,
  ): void {
    this.#emit({ data, event, start, end, index: this.#count++, terminated, fault });
  }
}
