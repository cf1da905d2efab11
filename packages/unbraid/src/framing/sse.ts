// Server-Sent Events, by the WHATWG rules (HTML Standard, 9.2.5 and 9.2.6) and beyond them where servers break them.
// Owns the open event and the meaning of lines. Knows nothing of JSON but its brackets, and of no vendor.
//
// Where this differs from the standard, the frame says so in `fault` or `terminated`:
// - an event that the body's end cuts off is emitted. The standard drops it, and with it the last words of servers that
//   leave out the final blank line;
// - a line that names no field, but can be a message or go on with one, is read as data;
// - other text that is no field is emitted, so that a gateway's words between the events are not lost.

import { LF, SPACE, decodeHead } from "./bytes.ts";
import { EXCERPT_BYTES, overlongFrame } from "./frame.ts";
import type { EmitFrame, FrameFault, Framer } from "./frame.ts";
import { type LineReader, type LineRun, Lines } from "./lines.ts";
import { Outline, codeUnits } from "./outline.ts";
import { beginsMessage, continuesJson, fieldValue, isUnknownField } from "./sse-lines.ts";
import { Beginning, NOT_A_STREAM } from "./text.ts";

const BARE_LINE: FrameFault = { code: "bare-line", message: "a line without a field name was read as data" };

/** The event that is being read. */
interface OpenEvent {
  /** Body offset of its first field line; -1: no event is open, and all else is as {@link close} leaves it. */
  start: number;
  /** Its data lines joined with LF; undefined while there was none. */
  data: string | undefined;
  /** Its `event:` field; undefined where there was none, or an empty one. */
  name: string | undefined;
  fault: FrameFault | undefined;
  /** Follows `data`, but only from the first line on that names no field; null where `data` is no JSON document. */
  outline: Outline | null | undefined;
  /** It began with a line that names no field, and ends with its JSON. Has data, an outline and a fault. */
  bare: boolean;
}

/** Text that belongs to no event, since the last frame. */
interface Stray {
  readonly start: number;
  end: number;
  readonly beginning: Beginning;
  /** Not all of it could be fields that the standard ignores. */
  words: boolean;
}

/** Cuts an SSE body into its events. */
export class SseFramer implements Framer, LineReader {
  readonly framing = "sse";
  readonly #lines: Lines;
  readonly #limit: number;
  readonly #event: OpenEvent = close({} as OpenEvent);
  /** Frames emitted or passed over so far. */
  #count = 0;
  /** The open event passed the limit: everything up to the next blank line is dropped. No event is open then. */
  #skipping = false;
  #stray: Stray | undefined = undefined;

  /** Reads a body from offset `offset` on; frames longer than `limit` bytes are skipped. */
  constructor(limit: number, offset: number) {
    this.#limit = limit;
    this.#lines = new Lines(offset);
  }

  /** Whether the next byte begins an event or stands between two: nothing is open, kept or skipped. */
  get idle(): boolean {
    return this.#event.start < 0 && !this.#skipping && this.#stray === undefined && this.#lines.idle;
  }

  /** Body offset just after the bytes taken so far. */
  get offset(): number {
    return this.#lines.offset;
  }

  /** Frames so far: the number of the next one. */
  get count(): number {
    return this.#count;
  }

  /** Passes over whole events that somebody else has read. Only while it is idle. */
  pass(events: number, bytes: number): void {
    this.#count += events;
    this.#lines.pass(bytes);
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    this.#lines.push(bytes, this, emit);
  }

  end(emit: EmitFrame): void {
    this.#lines.end(this, emit);
    if (this.#event.data !== undefined) this.#dispatch(this.#lines.offset, false, emit);
    this.#flushStray(emit, true);
  }

  readLines(run: LineRun, emit: EmitFrame): void {
    const event = this.#event;
    const fits = run.limit - (event.start < 0 ? run.offset : event.start) <= this.#limit;
    const plain = fits && run.plain;
    if (plain && event.start < 0 && !this.#skipping) this.#readPlain(run, emit);
    while (run.next()) {
      if (run.at === run.end) {
        this.#skipping = false;
        if (event.data !== undefined) this.#dispatch(run.after, true, emit);
        else if (event.start >= 0) close(event);
        if (plain) this.#readPlain(run, emit);
      } else if (!this.#skipping) {
        if (fits || !this.#refuse(run.start, run.stop, run.lineBytes, emit)) this.#readLine(run, emit);
      }
    }
  }

  refuseLine(start: number, stop: number, emit: EmitFrame): boolean {
    if (this.#skipping) return stop - start > this.#limit;
    return this.#refuse(start, stop, this.#lines.unfinished, emit);
  }

  /**
   * Reads events of the one shape that nearly all have, in a run of LF and ASCII alone, and stops before anything else.
   *
   *     event: response.output_text.delta\n      (or without this line)
   *     data: {…}\n
   *     \n
   */
  #readPlain(run: LineRun, emit: EmitFrame): void {
    const { text, offset } = run;
    let at = run.position;
    while (this.#stray === undefined) {
      let data = at;
      let event: string | undefined;
      if (text.charCodeAt(at) === 0x65 && text.startsWith("event:", at)) {
        const end = text.indexOf("\n", at);
        if (end < 0) break;
        event = text.slice(text.charCodeAt(at + 6) === SPACE ? at + 7 : at + 6, end) || undefined;
        data = end + 1;
      }
      if (!text.startsWith("data:", data)) break;
      const end = text.indexOf("\n", data);
      if (end < 0 || text.charCodeAt(end + 1) !== LF) break;
      const value = text.slice(text.charCodeAt(data + 5) === SPACE ? data + 6 : data + 5, end);
      const index = this.#count++;
      emit({
        data: value,
        event,
        start: offset + at,
        end: offset + end + 2,
        index,
        terminated: true,
        fault: undefined,
      });
      at = end + 2;
    }
    run.seek(at);
  }

  #readLine(run: LineRun, emit: EmitFrame): void {
    if (this.#readField(run, run.at, emit)) return;
    const line = run.text.slice(run.at, run.end);
    const words = line.trimStart();
    const indent = line.length - words.length;
    if (words === "" || (indent > 0 && this.#readField(run, run.at + indent, emit))) return;
    const event = this.#event;
    if (event.data !== undefined && continuesJson(words) && this.#isOpen(event)) {
      append(event, line);
    } else if (beginsMessage(words)) {
      this.#beginBare(run, words, emit);
    } else {
      this.#addStray(run, line);
      return;
    }
    event.fault ??= BARE_LINE;
    if (event.bare && event.outline?.closed === true) this.#dispatch(run.after, true, emit);
  }

  /** Reads a line, from index `at` on, as the standard does; false where it names no field that we know. */
  #readField(run: LineRun, at: number, emit: EmitFrame): boolean {
    const { text, end, start } = run;
    const event = this.#event;
    let value = -1;
    switch (text.charCodeAt(at)) {
      case 0x3a: // ":", a comment
        return true;
      case 0x64: // "d"
        value = fieldValue(text, at, end, "data");
        if (value < 0) return false;
        if (event.bare) this.#dispatch(start, true, emit);
        append(event, text.slice(value, end));
        break;
      case 0x65: // "e"
        value = fieldValue(text, at, end, "event");
        if (value < 0) return false;
        event.name = text.slice(value, end) || undefined;
        break;
      case 0x69: // "i"
        value = fieldValue(text, at, end, "id");
        break;
      case 0x72: // "r"
        value = fieldValue(text, at, end, "retry");
        break;
      default:
    }
    if (value < 0) return false;
    if (event.start < 0) event.start = start;
    if (at > run.at) event.fault ??= BARE_LINE;
    return true;
  }

  /**
   * Whether the event's data is a JSON document that has not ended. Looks at the data once: a text that grows by pieces
   * is copied whole each time that it is read.
   */
  #isOpen(event: OpenEvent): boolean {
    if (event.outline === undefined) {
      const { data = "" } = event;
      event.outline = beginsMessage(data) ? new Outline() : null;
      if (event.outline !== null) follow(event.outline, data);
    }
    return event.outline?.closed === false;
  }

  #beginBare(run: LineRun, words: string, emit: EmitFrame): void {
    const event = this.#event;
    if (event.data !== undefined) this.#dispatch(run.start, true, emit);
    if (event.start < 0) event.start = run.start;
    event.bare = true;
    event.outline = new Outline();
    append(event, words);
  }

  #dispatch(end: number, terminated: boolean, emit: EmitFrame): void {
    if (this.#stray !== undefined) this.#flushStray(emit, false);
    const { data = "", name, start, fault } = this.#event;
    close(this.#event);
    emit({ data, event: name, start, end, index: this.#count++, terminated, fault });
  }

  /** Gives up the frame where a line of it, from body offset `start` to `stop`, passes the limit; says whether it did. */
  #refuse(start: number, stop: number, line: Uint8Array, emit: EmitFrame): boolean {
    const event = this.#event;
    const first = event.start < 0 ? start : event.start;
    const room = first + this.#limit - start;
    if (stop - start <= room) return false;
    if (this.#stray !== undefined) this.#flushStray(emit, false);
    // No byte beyond the limit is shown, since how many have come depends on how the body was cut.
    const head = decodeHead(line.subarray(0, Math.max(0, Math.min(room, EXCERPT_BYTES))));
    const value = head.slice(Math.max(0, fieldValue(head, 0, head.length, "data")));
    const data = event.data === undefined ? value : `${event.data}\n${value}`;
    close(event);
    this.#skipping = true;
    emit(overlongFrame(data, first, this.#count++, this.#limit));
    return true;
  }

  #addStray(run: LineRun, line: string): void {
    const words = !isUnknownField(line);
    // Before the first event an unknown field may turn out to be the first words of a page that is no stream.
    if (!words && this.#count > 0) return;
    this.#stray ??= { start: run.start, end: run.after, beginning: new Beginning(), words };
    this.#stray.end = run.after;
    this.#stray.words ||= words;
    this.#stray.beginning.append(run.lineBytes);
    this.#stray.beginning.append(LINE_END);
  }

  #flushStray(emit: EmitFrame, atEnd: boolean): void {
    const stray = this.#stray;
    this.#stray = undefined;
    const alone = atEnd && this.#count === 0;
    if (stray === undefined || !(alone || stray.words)) return;
    const fault: FrameFault = alone
      ? { code: "not-a-stream", message: NOT_A_STREAM }
      : { code: "stray-text", message: "text that is no field of an event" };
    const data = stray.beginning.text.trimEnd();
    emit({ data, event: undefined, start: stray.start, end: stray.end, index: this.#count++, terminated: true, fault });
  }
}

const LINE_END = /* @__PURE__ */ new Uint8Array([LF]);

/** Makes it the record of no event. */
function close(event: OpenEvent): OpenEvent {
  event.start = -1;
  event.data = undefined;
  event.name = undefined;
  event.fault = undefined;
  event.outline = undefined;
  event.bare = false;
  return event;
}

/** Adds a data line. */
function append(event: OpenEvent, line: string): void {
  event.data = event.data === undefined ? line : `${event.data}\n${line}`;
  if (event.outline) follow(event.outline, line);
}

function follow(outline: Outline, line: string): void {
  if (!outline.closed) outline.read(codeUnits(line), 0, line.length);
}
