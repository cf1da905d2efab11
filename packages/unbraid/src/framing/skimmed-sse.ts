// Server-Sent Events of which a part is taken straight from the bytes by somebody who knows them: see `Skim`. Owns the cutting
// of a body into pieces of one event each, and the event that a chunk's end cuts. What is not taken is read by the framer
// underneath, which gives the same frames however its bytes are cut, so that this can cut them as it likes.

import { ByteBuffer, CR, LF } from "./bytes.ts";
import type { EmitFrame, Framer } from "./frame.ts";
import { MAX_HEAD, type Restated, RestatedEvent } from "./restated-event.ts";
import { SseFramer } from "./sse.ts";

/** Bytes that are read at once while nobody wants single events. */
const SLAB = 8 * 1024;
/** Longest beginning of an event that is kept, and bytes of a chunk that are copied behind it. */
const MAX_KEPT = 4 * 1024;
/** Chunks that the rest of a kept event may come in: each of them is compared from the event's beginning. */
const MAX_CHUNKS = 4;

/**
 * Takes SSE events straight from the bytes, where it knows without reading them as text what they are. It must take exactly
 * what the framer would have made one frame of each, and only events whose lines end as those of one that was offered to it.
 */
export interface Skim {
  /** Whether it wants to be asked. While it does not, events are not even told apart beforehand. */
  readonly wanted: boolean;
  /** How many events the last `take` took. */
  readonly taken: number;
  /** Whether the last `take` stopped at bytes that may be the beginning of an event to take. */
  readonly cut: boolean;
  /**
   * Takes whole events, one after another.
   *
   * @param bytes Where they stand; not kept.
   * @param from Where the first one would begin. No event is open there.
   * @param offset The body offset of that place.
   * @param index The number of the next frame.
   * @returns Index just after the last one taken; `from` where there was none.
   */
  take(bytes: Uint8Array, from: number, offset: number, index: number): number;
  /** Whether an event may say a text again that has come before. */
  readonly restates: boolean;
  /** Finds such a string in the ASCII that an event begins with, or what follows another such string. */
  restated(beginning: string): Restated | undefined;
  /** Shows the bytes of the event that is read as text next, from body offset `start` on; undefined: no single event. */
  offer(event: Uint8Array | undefined, start: number): void;
}

/** See the file's head. */
export class SkimmedSse implements Framer {
  readonly framing = "sse";
  readonly #sse: SseFramer;
  readonly #skim: Skim;
  /** The beginning of an event that may be one to take. Nothing of it has been read by the framer underneath. */
  readonly #kept = new ByteBuffer();
  /** Chunks that it came in. */
  #chunks = 0;
  readonly #limit: number;
  /** Made when it is first needed. */
  #restated: RestatedEvent | undefined;

  /** @param limit Longest frame in bytes. */
  constructor(sse: SseFramer, skim: Skim, limit: number) {
    this.#sse = sse;
    this.#skim = skim;
    this.#limit = limit;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    const from = this.#kept.length > 0 ? this.#join(bytes, emit) : 0;
    const rest = this.#read(bytes, from, emit);
    if (rest === bytes.length) return;
    this.#kept.append(bytes, rest, bytes.length);
    this.#chunks = 1;
  }

  end(emit: EmitFrame): void {
    if (this.#restated?.open === true) this.#restated.giveUp(this.#sse, emit);
    if (this.#kept.length > 0) this.#sse.push(this.#kept.view, emit);
    this.#kept.clear();
    this.#sse.end(emit);
  }

  /**
   * Reads from `from` on. Gives the place of an event that the bytes cut and that may be one to take, else their length: then
   * all has been read.
   */
  #read(bytes: Uint8Array, from: number, emit: EmitFrame): number {
    const skim = this.#skim;
    const sse = this.#sse;
    let at = from;
    while (at < bytes.length) {
      if (this.#restated?.open === true) {
        at = this.#restated.read(bytes, at, sse, emit);
        continue;
      }
      if (!skim.wanted) {
        const end = at + SLAB;
        sse.push(at === 0 && end >= bytes.length ? bytes : bytes.subarray(at, end), emit);
        at = end;
        continue;
      }
      const alone = sse.idle;
      if (alone) {
        const end = skim.take(bytes, at, sse.offset, sse.count);
        if (end > at) sse.pass(skim.taken, end - at);
        at = end;
        if (at === bytes.length) break;
        // What is an event up to the last byte has no end there.
        if (skim.cut && bytes.length - at <= MAX_KEPT) return at;
      }
      const end = eventEnd(bytes, at);
      if (alone && skim.restates) {
        const restated = (this.#restated ??= new RestatedEvent((beginning) => skim.restated(beginning), this.#limit));
        const inside = restated.begin(bytes, at, end < 0 ? bytes.length : end);
        if (inside === at && end < 0 && bytes.length - at < MAX_HEAD) return at;
        at = inside;
        if (restated.open) continue;
      }
      this.#readEvent(end < 0 ? bytes.subarray(at) : bytes.subarray(at, end), alone && end > 0, emit);
      at = end < 0 ? bytes.length : end;
    }
    return bytes.length;
  }

  /** Lets the framer underneath read bytes; `alone`: they are one event. */
  #readEvent(bytes: Uint8Array, alone: boolean, emit: EmitFrame): void {
    this.#skim.offer(alone ? bytes : undefined, this.#sse.offset);
    this.#sse.push(bytes, emit);
    this.#skim.offer(undefined, 0);
  }

  /**
   * Reads the kept event and what follows it in the first bytes of the next chunk, which are copied behind it: small chunks
   * are copied whole, so that their events are taken together. Gives the place in the chunk from which on to read.
   */
  #join(bytes: Uint8Array, emit: EmitFrame): number {
    const kept = this.#kept;
    const had = kept.length;
    const copied = Math.min(bytes.length, MAX_KEPT);
    kept.append(bytes, 0, copied);
    const { view } = kept;
    const rest = this.#read(view, 0, emit);
    if (rest === view.length) {
      kept.clear();
    } else if (rest >= had && copied < bytes.length) {
      kept.clear();
      return rest - had;
    } else if (rest > 0) {
      kept.clear();
      kept.append(view, rest, view.length);
      this.#chunks = 1;
    } else if (copied < bytes.length || ++this.#chunks > MAX_CHUNKS) {
      // It will not become an event to take, or comes in too many pieces to look at it anew for each.
      this.#sse.push(view, emit);
      kept.clear();
    }
    return copied;
  }
}

/** What reads an SSE body with somebody who takes events of it. */
export function skimmedSse(skim: Skim, limit: number, offset: number): Framer {
  const sse = new SseFramer(limit, offset);
  // With a limit so low, whether an event passes it is for the framer alone to say.
  return limit < MAX_KEPT ? sse : new SkimmedSse(sse, skim, limit);
}

/** Index just after the first blank line whose line feeds stand at or after `from`; -1 where there is none. */
function eventEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}
