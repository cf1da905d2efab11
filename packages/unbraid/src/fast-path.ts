// When events are matched against templates instead of being parsed. Owns the templates of one reader: which are kept, when
// one may be used, and when none is worth its making. `templates/frame-template.ts` says why a match is exact.
//
// A template may be used behind any other frame as long as the protocol says that what it has read since does not change what
// such a frame means (`FragmentFrame.holds`). Nothing else has a say: what a fragment does to a call is decided where it is
// said, in assembly, for both ways alike.
//
// What it can cost. Each of `MAX_TEMPLATES` is compared with an event no further than the bytes are equal, so that events
// which nearly match cost a constant times their length. Templates are made of at most `MAX_EVENT` bytes, `TRIAL` times, and
// after that only while they are used. And events are looked at one by one only while fragments come: see `PATIENCE`.

import type { Frame, Framer } from "./framing/index.ts";
import type { Restated } from "./framing/restated-event.ts";
import { type Skim, skimmedSse } from "./framing/skimmed-sse.ts";
import type { FragmentFrame } from "./templates/fragment.ts";
import { EventBytes, FrameTemplate, type Match, MAX_EVENT } from "./templates/frame-template.ts";
import { HoleTexts } from "./templates/hole-texts.ts";
import type { HoleValues } from "./templates/holes.ts";
import { ItemNames } from "./templates/item-names.ts";

/** Templates that are kept: a stream has few shapes of fragments, and one that has many is not worth it. */
const MAX_TEMPLATES = 4;
/** Templates after which those must have paid for themselves. */
export const TRIAL = 32;
/** Events without a fragment, one after another, after which events are no longer looked at one by one. */
const PATIENCE = 16;

/** UTF-16 units of a text from which on it is worth it to compare an event with it. */
const SHORTEST = 16 * 1024;

/** Events of one call, one behind the other, after which they have a template of their own. */
const STEADY = 8;

/** A shape of event. */
interface Shape {
  readonly template: FrameTemplate;
  fragment: FragmentFrame;
  /** Whether the protocol lets it be used until the next event that is parsed. */
  usable: boolean;
}

/** Events of one call and shape, one behind the other: they have a template of their own, which costs less to match. */
interface Row {
  readonly shape: Shape;
  readonly index: number;
  readonly name: string;
  readonly template: FrameTemplate;
}

/** An event that matched, until its texts are decoded. */
interface Matched extends Match {
  shape: Shape;
  /** Name of the call's item; the same string object again for the same call. */
  name: string;
  start: number;
  end: number;
  /** Its fragment, once it is decoded. */
  string: string;
}

/** Takes the fragments of events that were not parsed: with each the event's number, and where in the body it stands. */
export interface FragmentTaker {
  /** Takes one of any kind. */
  one(fragment: FragmentFrame, values: HoleValues, frame: number, start: number, end: number): void;
  /** Whether nothing but the grammar has a say in what comes next for the call that the last fragment went to. */
  readonly runs: boolean;
  /**
   * Reads a range of a text behind what that call holds. True where its value stays open: then any pieces of the range may be
   * appended. False, and nothing is read, where it does not.
   */
  readAhead(text: string, start: number, end: number): boolean;
  /** Takes the last `readAhead` back. */
  unread(): void;
  /** Gives the call what was read. */
  takeAhead(text: string): void;
  /** All text so far of the call with this second name. */
  textOf(item: string): string | undefined;
  /** Says a fragment that was taken so. */
  more(text: string, frame: number, start: number, end: number): void;
}

/** What describes frames: a protocol's reader. */
interface Describer {
  fragment?(value: unknown): FragmentFrame | undefined;
}

/** The fast path of one reader. */
export class FastPath implements Skim {
  wanted = false;
  taken = 0;
  readonly #taker: FragmentTaker;
  /** The newest first. */
  readonly #shapes: Shape[] = [];
  /** The one that matched last: nearly always the next one, too. */
  #latest = 0;
  readonly #source = new EventBytes();
  readonly #texts = new HoleTexts(MAX_EVENT);
  readonly #names = new ItemNames();
  readonly #values: HoleValues = { text: "", index: -1, item: "", sequence: -1 };
  /** The call of the last event, and how many events of it came in a row. */
  #lastIndex = -1;
  #lastName = "";
  #inRow = 0;
  #row: Row | undefined;
  /** Events that matched and are not said yet; records that are used again. */
  readonly #batch: Matched[] = [];
  /** Events of the batch up to this one are said one by one. */
  #single = 0;
  /** The event that is said now. */
  #now: Matched | undefined;
  /** The event that is read next, if it is alone, and where in the body it stands. */
  #event: Uint8Array | undefined;
  #eventStart = 0;
  /** Events without a fragment since the last one with. */
  #others = 0;
  #made = 0;
  #matched = 0;
  /** No more templates are made. */
  #spent = false;

  /** @param taker Takes each fragment. */
  constructor(taker: FragmentTaker) {
    this.#taker = taker;
  }

  /** What reads the SSE body whose events it takes. */
  framer(limit: number, offset: number): Framer {
    return skimmedSse(this, limit, offset);
  }

  get cut(): boolean {
    return this.#source.cut;
  }

  /** The data of the event that is said now. */
  get data(): string {
    const now = this.#now;
    if (now === undefined) return "";
    const event = this.#source.bytes.subarray(now.start, now.end);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(now.shape.template.dataIn(event));
  }

  get restates(): boolean {
    return this.#shapes.some(({ fragment }) => fragment.restated !== undefined);
  }

  restated(beginning: string): Restated | undefined {
    for (const { fragment } of this.#shapes) {
      const found = fragment.restated?.(beginning);
      const text = found === undefined ? undefined : this.#taker.textOf(found.item);
      if (found !== undefined && text !== undefined && text.length >= SHORTEST) return { at: found.at, text };
    }
    return undefined;
  }

  offer(event: Uint8Array | undefined, start: number): void {
    this.#event = event;
    this.#eventStart = start;
  }

  take(bytes: Uint8Array, from: number, offset: number, index: number): number {
    this.taken = 0;
    this.#source.cut = false;
    if (this.#shapes.length === 0) return from;
    for (const shape of this.#shapes) shape.usable = shape.fragment.holds();
    this.#source.load(bytes);
    let at = from;
    for (;;) {
      const count = this.#match(at);
      if (count === 0) return at;
      at = (this.#batch[count - 1] as Matched).end;
      this.#sayAll(count, offset - from, index + this.taken);
      this.taken += count;
      if (at === bytes.length) return at;
    }
  }

  /** Matches events from `start` on, as many as are decoded at once; gives how many. */
  #match(start: number): number {
    const texts = this.#texts;
    const { length } = this.#source.bytes;
    texts.truncate(0);
    let count = 0;
    let at = start;
    while (at < length && !texts.full) {
      const record = (this.#batch[count] ??= newRecord(this.#shapes[0] as Shape));
      const end = this.#matchOne(at, record);
      if (end < 0) break;
      record.start = at;
      record.end = at = end;
      count++;
    }
    this.#matched += count;
    return count;
  }

  #matchOne(at: number, record: Matched): number {
    const shapes = this.#shapes;
    const texts = this.#texts;
    const source = this.#source;
    const before = texts.count;
    // The template of the call that the events before were of comes first.
    for (let turn = this.#row === undefined ? 0 : -1; turn < shapes.length; turn++) {
      const row = turn < 0 ? this.#row : undefined;
      const place = (this.#latest + turn) % shapes.length;
      const shape = row === undefined ? (shapes[place] as Shape) : row.shape;
      if (!shape.usable) continue;
      record.item = record.itemEnd = 0;
      record.index = record.sequence = -1;
      const end = (row ?? shape).template.match(source, at, record, texts);
      if (end >= 0) {
        record.shape = shape;
        if (row === undefined) {
          const { item, itemEnd, index } = record;
          record.name = item === itemEnd ? "" : this.#names.read(source.bytes, item, itemEnd, index);
          this.#latest = place;
          this.#countRow(shape, index, record.name);
        } else {
          record.index = row.index;
          record.name = row.name;
        }
        return end;
      }
      texts.truncate(before);
    }
    return -1;
  }

  #countRow(shape: Shape, index: number, name: string): void {
    if (index !== this.#lastIndex || name !== this.#lastName) {
      this.#lastIndex = index;
      this.#lastName = name;
      this.#inRow = 0;
      if (this.#row !== undefined) this.#row = undefined;
    } else if (++this.#inRow % STEADY === 0 && this.#row?.shape !== shape) {
      this.#row = { shape, index, name, template: shape.template.fixedTo(index, name) };
    }
  }

  #sayAll(count: number, base: number, index: number): void {
    this.#texts.decode();
    this.#single = 0;
    for (let each = 0; each < count;) {
      const record = this.#batch[each] as Matched;
      this.#read(record);
      this.#now = record;
      this.#taker.one(record.shape.fragment, this.#values, index + each, base + record.start, base + record.end);
      this.#now = undefined;
      each++;
      if (each < count) each = this.#sayRun(record, each, count, base, index);
    }
  }

  /** Puts what stands in the holes of an event into `#values`. */
  #read(record: Matched): void {
    const values = this.#values;
    values.text = record.string = this.#texts.at(record.text);
    values.item = record.name;
    values.index = record.index;
    values.sequence = record.sequence;
  }

  /**
   * Says the events from `first` on that go on with the call of the event before them, as many as can be said together; gives
   * the place behind them. Together they cost one look at what state the call is in, and not one each.
   */
  #sayRun(before: Matched, first: number, count: number, base: number, index: number): number {
    const batch = this.#batch;
    const taker = this.#taker;
    const { all } = this.#texts;
    if (first < this.#single || !isAlike(before, batch[first] as Matched)) return first;
    if (all === undefined || !taker.runs) return first;
    let last = first + 1;
    while (last < count && isAlike(before, batch[last] as Matched)) last++;
    let end = last;
    // Where a call's fragments end, so does its value, most often: that is for the rules to see.
    if (!this.#readAhead(all, first, end) && !this.#readAhead(all, first, --end)) {
      this.#single = last;
      return first;
    }
    const fresh = this.#freshUntil(first, end);
    if (fresh < end) {
      taker.unread();
      if (!this.#readAhead(all, first, fresh)) return first;
    }
    taker.takeAhead(all.slice(this.#texts.startOf((batch[first] as Matched).text), this.#endOf(fresh)));
    for (let each = first; each < fresh; each++) {
      const record = batch[each] as Matched;
      taker.more(record.string, index + each, base + record.start, base + record.end);
    }
    return fresh;
  }

  /** Reads the texts of the events from `first` to `last` behind what the call holds; false where that cannot be. */
  #readAhead(all: string, first: number, last: number): boolean {
    const start = this.#texts.startOf((this.#batch[first] as Matched).text);
    return first < last && this.#taker.readAhead(all, start, this.#endOf(last));
  }

  /** Where the text of the event before `place` ends. */
  #endOf(place: number): number {
    return this.#texts.startOf((this.#batch[place - 1] as Matched).text + 1);
  }

  /** Reads the events from `first` to `last`, and gives the place of the first that the wire has sent before. */
  #freshUntil(first: number, last: number): number {
    for (let each = first; each < last; each++) {
      const record = this.#batch[each] as Matched;
      this.#read(record);
      if (record.shape.fragment.isReplay?.(this.#values) === true) return each;
    }
    return last;
  }

  /** Learns from a frame that was parsed and read. */
  learn(frame: Frame, value: unknown, wire: Describer): void {
    const event = this.#event;
    // In a stretch that is not looked at event by event, one fragment is enough to know.
    if (this.wanted && event === undefined) return;
    const fragment = this.#spent ? undefined : wire.fragment?.(value);
    if (fragment === undefined) {
      if (this.wanted && ++this.#others >= PATIENCE) this.wanted = false;
      return;
    }
    this.#others = 0;
    this.wanted = true;
    if (event === undefined || frame.start !== this.#eventStart || frame.end !== this.#eventStart + event.length)
      return;
    if (!this.#refresh(event, fragment)) this.#make(event, frame.data, fragment);
  }

  /** The shape of this event is known, and could not be used: it can now. */
  #refresh(event: Uint8Array, fragment: FragmentFrame): boolean {
    this.#source.load(event);
    const known = this.#shapes.find((shape) => {
      this.#texts.truncate(0);
      return shape.template.match(this.#source, 0, newRecord(shape), this.#texts) === event.length;
    });
    if (known !== undefined) known.fragment = fragment;
    return known !== undefined;
  }

  #make(event: Uint8Array, data: string, fragment: FragmentFrame): void {
    // A wire whose fragments all differ in shape pays for templates that nothing matches.
    if (++this.#made > TRIAL && this.#matched < this.#made * 4) {
      this.#spent = true;
      this.#shapes.length = 0;
      this.wanted = false;
      return;
    }
    const template = FrameTemplate.from(event, data, fragment.holes);
    if (template === undefined) return;
    this.#shapes.unshift({ template, fragment, usable: true });
    this.#latest = 0;
    if (this.#shapes.length > MAX_TEMPLATES) this.#shapes.pop();
  }
}

function newRecord(shape: Shape): Matched {
  return { shape, start: 0, end: 0, string: "", name: "", text: 0, item: 0, itemEnd: 0, index: -1, sequence: -1 };
}

/** Whether two events mean the same call in the same way. */
function isAlike(a: Matched, b: Matched): boolean {
  return a.index === b.index && a.shape === b.shape && a.name === b.name;
}
