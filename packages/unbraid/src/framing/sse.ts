// Server-Sent Events, by the WHATWG rules (HTML Standard, 9.2.5 and 9.2.6) and beyond them where servers break them.
// Owns the open event and the meaning of lines. Knows nothing of JSON but its brackets, and of no vendor.
//
// Where this differs from the standard, the frame says so in `fault` or `terminated`:
// - an event that the body's end cuts off is emitted. The standard drops it, and with it the last words of servers that
//   leave out the final blank line;
// - a line that names no field, but can be a message or go on with one, is read as data. So JSON lines are read too, and
//   there that is no fault: see `json.ts`, which reads the first of them;
// - other text that is no field is emitted, so that a gateway's words between the events are not lost.

import { LF } from "./bytes.ts";
import { DATA_PREFIX, NOT_A_STREAM, STRAY_TEXT, beginningOf, excerpt, overlongFrame } from "./frame.ts";
import type { EmitFrame, FrameFault, Framer } from "./frame.ts";
import { type LineReader, Lines } from "./lines.ts";
import { Outline, beginsBracket, holdsWholeValue } from "./outline.ts";
import { continuesJson, fieldValue, isUnknownField, valueStart } from "./sse-lines.ts";

const BARE_LINE: FrameFault = { code: "bare-line", message: "a line without a field name was read as data" };

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** UTF-16 units that are shown of text that is no event; enough for any error page's words, and little to keep. */
const SHOWN = 64 * 1024;

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
  /** It began with a line that names no field, and ends with its JSON. Has data and an outline. */
  bare: boolean;
}

/** Text that belongs to no event, since the last frame. */
interface Stray {
  readonly start: number;
  end: number;
  /** Its lines, until more than is shown has come. */
  text: string;
  /** Not all of it could be fields that the standard ignores. */
  words: boolean;
}

/** How a body of lines is meant. `ndjson`: a JSON value came before, on a line of its own; `text`: no line is an event. */
type LineFraming = "sse" | "ndjson" | "text";

/** Cuts a body of lines into its events: SSE, or one JSON value a line. */
export class SseFramer implements Framer, LineReader {
  readonly framing: LineFraming;
  /** JSON was promised. */
  readonly #json: boolean;
  readonly #lines: Lines;
  readonly #limit: number;
  readonly #event: OpenEvent = close({} as OpenEvent);
  /** Frames emitted or passed over so far. */
  #count: number;
  /** The open event passed the limit: everything up to the next blank line is dropped. No event is open then. */
  #skipping = false;
  #stray: Stray | undefined = undefined;
  /** What takes the frames of the bytes that are being read. */
  #emit: EmitFrame = () => {};

  /**
   * Reads a body from offset `offset` on; frames longer than `limit` bytes are skipped.
   *
   * @param framing What the body promises to be.
   * @param count Frames before that offset.
   */
  constructor(limit: number, offset: number, framing: LineFraming = "sse", count = 0) {
    this.framing = framing;
    this.#json = framing === "ndjson";
    this.#limit = limit;
    this.#lines = new Lines(this, offset);
    this.#count = count;
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
    this.#emit = emit;
    this.#lines.push(bytes);
  }

  end(emit: EmitFrame): void {
    this.#emit = emit;
    this.#lines.finish();
    if (this.#event.data !== undefined) this.#dispatch(this.#lines.offset, false);
    this.#flushStray(true);
  }

  readLines(lines: Lines): void {
    const event = this.#event;
    const plain = lines.plain && this.framing !== "text";
    if (plain && event.start < 0 && !this.#skipping) this.#readPlain(lines);
    while (lines.next()) {
      if (lines.at === lines.end) {
        this.#skipping = false;
        if (event.data !== undefined) this.#dispatch(lines.after, true);
        else if (event.start >= 0) close(event);
        if (plain) this.#readPlain(lines);
        continue;
      }
      if (this.#skips(lines.text.charCodeAt(lines.at))) continue;
      if (this.#tooLong(lines.start, lines.stop)) this.#refuse(lines.start, lines.lineBytes);
      else this.#readLine(lines);
    }
  }

  refuseLine(start: number, stop: number): boolean {
    if (this.#skips(this.#lines.unfinished[0])) return stop - start > this.#limit;
    const tooLong = this.#tooLong(start, stop);
    if (tooLong) this.#refuse(start, this.#lines.unfinished);
    return tooLong;
  }

  /**
   * Reads events of the one shape that nearly all have, in a run of LF and ASCII alone, and stops before anything else.
   *
   *     event: response.output_text.delta\n      (or without this line)
   *     data: {…}\n
   *     \n
   *
   *     {…}\n                                     in a body of JSON lines
   */
  #readPlain(lines: Lines): void {
    const { text, base } = lines;
    let at = lines.position;
    while (this.#stray === undefined) {
      if (this.#json) {
        const end = text.indexOf("\n", at);
        const whole = text.charCodeAt(at) === OPEN_OBJECT && text.charCodeAt(end - 1) === CLOSE_OBJECT;
        if (!whole || end - at > this.#limit) break;
        this.#say(text.slice(at, end), undefined, base + at, base + end, true, undefined);
        at = end + 1;
        continue;
      }
      let data = at;
      let event: string | undefined;
      if (text.charCodeAt(at) === 0x65 && text.startsWith("event:", at)) {
        const end = text.indexOf("\n", at);
        if (end < 0) break;
        event = text.slice(valueStart(text, at + 6), end) || undefined;
        data = end + 1;
      }
      if (!text.startsWith("data:", data)) break;
      const end = text.indexOf("\n", data);
      if (end < 0 || text.charCodeAt(end + 1) !== LF || end - at > this.#limit) break;
      const value = text.slice(valueStart(text, data + 5), end);
      this.#say(value, event, base + at, base + end + 2, true, undefined);
      at = end + 2;
    }
    lines.seek(at);
  }

  #readLine(lines: Lines): void {
    const event = this.#event;
    const open = this.#json && event.bare;
    const line = lines.text.slice(lines.at, lines.end);
    if (this.framing === "text") return this.#addStray(lines, line);
    const bare = open || line.charCodeAt(0) === OPEN_OBJECT;
    if (!bare && (this.#readField(lines, line, false) || this.#readField(lines, line.trimStart(), true))) return;
    const words = line.trim();
    if (words === "") return;
    const goesOn = open || (event.data !== undefined && continuesJson(words) && this.#isOpen(event));
    if (!goesOn && !beginsBracket(words)) return this.#addStray(lines, line);
    if (!goesOn) this.#beginBare(lines.start, words);
    append(event, goesOn ? line : words);
    if (!this.#json) event.fault ??= BARE_LINE;
    if (event.bare && event.outline?.closed !== false)
      this.#dispatch(lines.stop, lines.after > lines.stop || holdsWholeValue(event.data ?? ""));
  }

  /** Reads a line, less its indent, as the standard does; false where it names no field that we know. */
  #readField({ start, stop }: Lines, line: string, indented: boolean): boolean {
    const event = this.#event;
    const data = fieldValue(line, "data");
    const name = data === undefined ? fieldValue(line, "event") : undefined;
    if (data !== undefined) {
      if (event.bare) this.#dispatch(start, true);
      append(event, data);
    } else if (name !== undefined) {
      event.name = name || undefined;
    } else if (fieldValue(line, "id") === undefined && fieldValue(line, "retry") === undefined) {
      return line.startsWith(":");
    }
    if (event.start < 0) event.start = start;
    if (indented) event.fault ??= BARE_LINE;
    if (this.#json) {
      event.fault ??= DATA_PREFIX;
      if (data !== undefined) this.#dispatch(stop, true);
    }
    return true;
  }

  /**
   * Whether the event's data is a JSON document that has not ended. Looks at the data once: a text that grows by pieces
   * is copied whole each time that it is read.
   */
  #isOpen(event: OpenEvent): boolean {
    if (event.outline === undefined) {
      const { data = "" } = event;
      event.outline = beginsBracket(data) ? new Outline() : null;
      event.outline?.follow(data);
    }
    return event.outline?.closed === false;
  }

  /** Begins a message without a field name, of whose first line these are the words. */
  #beginBare(start: number, words: string): void {
    const event = this.#event;
    if (event.data !== undefined) this.#dispatch(start, true);
    if (event.start < 0) event.start = start;
    event.bare = true;
    // Between lines of JSON, only a bracket that stands alone begins a printed document: a line that was cut would take
    // the rest of the body along.
    event.outline = this.#json && !/^[[{\s]+$/.test(words) ? null : new Outline();
  }

  #dispatch(end: number, terminated: boolean): void {
    if (this.#stray !== undefined) this.#flushStray(false);
    const { data = "", name, start, fault } = this.#event;
    close(this.#event);
    this.#say(data, name, start, end, terminated, fault);
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

  /** Whether a line that begins so is a part of what is skipped: behind a JSON line too long, an object begins anew. */
  #skips(first: number | undefined): boolean {
    if (this.#json && first === OPEN_OBJECT) this.#skipping = false;
    return this.#skipping;
  }

  /** Whether the frame passes the limit with a line of it, from body offset `start` to `stop`. */
  #tooLong(start: number, stop: number): boolean {
    return stop - (this.#event.start < 0 ? start : this.#event.start) > this.#limit;
  }

  /** Gives up the frame that passes the limit with this line, which begins at body offset `start`. */
  #refuse(start: number, line: Uint8Array): void {
    const event = this.#event;
    const first = event.start < 0 ? start : event.start;
    this.#flushStray(this.framing === "text");
    const head = beginningOf(line, Math.max(0, first + this.#limit - start));
    append(event, fieldValue(head, "data") ?? head);
    const { data = "" } = event;
    close(event);
    this.#skipping = true;
    this.#emit(overlongFrame(excerpt(data), first, this.#count++, this.#limit));
  }

  #addStray(lines: Lines, line: string): void {
    const words = this.#json || !isUnknownField(line);
    // Before the first event an unknown field may turn out to be the first words of a page that is no stream.
    if (!words && this.#count > 0) return;
    const stray = (this.#stray ??= { start: lines.start, end: lines.after, text: "", words });
    stray.end = lines.after;
    stray.words ||= words;
    if (stray.text.length < SHOWN) stray.text += `${line}\n`;
  }

  #flushStray(atEnd: boolean): void {
    const stray = this.#stray;
    this.#stray = undefined;
    const alone = atEnd && this.#count === 0;
    if (stray === undefined || !(alone || stray.words)) return;
    const fault = alone ? NOT_A_STREAM : STRAY_TEXT;
    this.#say(excerpt(stray.text, SHOWN).trimEnd(), undefined, stray.start, stray.end, true, fault);
  }
}

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
  event.outline?.follow(line);
}
