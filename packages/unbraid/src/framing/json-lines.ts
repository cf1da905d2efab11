// One JSON value a line (NDJSON, JSON Lines), a few exceptions borne: a pretty-printed document between the lines, SSE
// lines where JSON lines were promised. Owns the meaning of such lines; that a line is JSON, the reader finds out.

import { decodeHead } from "./bytes.ts";
import { EXCERPT_BYTES, overlongFrame } from "./frame.ts";
import type { EmitFrame, FrameFault } from "./frame.ts";
import { type LineReader, type LineRun, Lines } from "./lines.ts";
import { Outline, codeUnits, holdsWholeValue } from "./outline.ts";
import { fieldValue } from "./sse-lines.ts";

const DATA_PREFIX: FrameFault = { code: "data-prefix", message: "a line of JSON was written as an SSE field" };

/** What a line beside JSON values says. */
export interface LooseLine {
  readonly data: string;
  readonly fault: FrameFault | undefined;
}

/**
 * Reads a line that is no JSON object or array, where JSON was promised: takes `data:` off, and gives undefined for what
 * SSE only frames with (comments, other fields, blank lines).
 *
 *     {"choices":[…]}
 *     data: [DONE]
 *           ^
 */
export function looseLine(line: string): LooseLine | undefined {
  const text = line.trim();
  if (text === "" || /^(?::|(?:event|id|retry):)/.test(text)) return undefined;
  const value = fieldValue(text, 0, text.length, "data");
  if (value < 0) return { data: text, fault: undefined };
  return value === text.length ? undefined : { data: text.slice(value), fault: DATA_PREFIX };
}

/** A document that goes over several lines. */
interface Gathered {
  readonly start: number;
  readonly outline: Outline;
  /** Its lines so far, joined with LF. */
  data: string;
  /** It has passed the limit: its rest is followed, but not kept. */
  dropped: boolean;
}

/** Cuts a body into lines and reads each that is not blank as a frame. */
export class JsonLines implements LineReader {
  readonly #lines: Lines;
  readonly #limit: number;
  #count: number;
  #gathered: Gathered | undefined = undefined;

  /** Reads a body from offset `offset` on, where a line begins; `count` frames have been emitted before. */
  constructor(limit: number, offset: number, count: number) {
    this.#limit = limit;
    this.#lines = new Lines(offset);
    this.#count = count;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    this.#lines.push(bytes, this, emit);
  }

  end(emit: EmitFrame): void {
    this.#lines.end(this, emit);
    const gathered = this.#gathered;
    if (gathered?.dropped !== false) return;
    this.#emit(gathered.data, gathered.start, this.#lines.offset, false, undefined, emit);
  }

  readLines(run: LineRun, emit: EmitFrame): void {
    const fits = run.limit - (this.#gathered?.start ?? run.offset) <= this.#limit;
    while (run.next()) {
      if (run.at === run.end || (!fits && this.#refuse(run.start, run.stop, run.lineBytes, emit))) continue;
      if (this.#gathered === undefined) this.#readLine(run, emit);
      else this.#gather(this.#gathered, run.text.slice(run.at, run.end), run.stop, emit);
    }
  }

  refuseLine(start: number, stop: number, emit: EmitFrame): boolean {
    return this.#refuse(start, stop, this.#lines.unfinished, emit);
  }

  #readLine(run: LineRun, emit: EmitFrame): void {
    const { text, at, end, start, stop } = run;
    const ended = run.after > stop;
    // "{…}\n"  nearly every line. "{\n" begins a document as every pretty printer writes it.
    if (ended && end - at > 2 && text.charCodeAt(at) === 0x7b) {
      this.#emit(text.slice(at, end), start, stop, true, undefined, emit);
      return;
    }
    const line = text.slice(at, end).trim();
    if (line === "{" || line === "[") {
      this.#gathered = { start, outline: new Outline(), data: "", dropped: false };
      this.#gather(this.#gathered, line, stop, emit);
      return;
    }
    const loose = looseLine(line);
    if (loose === undefined) return;
    this.#emit(loose.data, start, stop, ended || holdsWholeValue(loose.data), loose.fault, emit);
  }

  #gather(gathered: Gathered, line: string, stop: number, emit: EmitFrame): void {
    if (!gathered.dropped) gathered.data = gathered.data === "" ? line : `${gathered.data}\n${line}`;
    if (gathered.outline.read(codeUnits(line), 0, line.length) < 0) return;
    this.#gathered = undefined;
    if (!gathered.dropped) this.#emit(gathered.data, gathered.start, stop, true, undefined, emit);
  }

  /** Gives up a frame where a line of it, from body offset `start` to `stop`, passes the limit; says whether it did. */
  #refuse(start: number, stop: number, line: Uint8Array, emit: EmitFrame): boolean {
    const gathered = this.#gathered;
    const first = gathered === undefined || gathered.dropped ? start : gathered.start;
    const room = first + this.#limit - start;
    if (stop - start <= room) return false;
    // No byte beyond the limit is shown, since how many have come depends on how the body was cut.
    const head = decodeHead(line.subarray(0, Math.max(0, Math.min(room, EXCERPT_BYTES))));
    emit(overlongFrame(gathered === undefined ? head : `${gathered.data}\n${head}`, first, this.#count++, this.#limit));
    if (gathered !== undefined) {
      gathered.dropped = true;
      gathered.data = "";
    }
    return true;
  }

  #emit(
    data: string,
    start: number,
    end: number,
    terminated: boolean,
    fault: FrameFault | undefined,
    emit: EmitFrame,
  ): void {
    emit({ data, event: undefined, start, end, index: this.#count++, terminated, fault });
  }
}
