// All responses that the inspector knows. Owns their ids, the bounds on what is kept in memory, the reading of their lines
// and who is told of changes; knows no HTTP.

import type { EntryDetails, EntryInfo, RecordedResponse, ResponseDescription, TimedBytes } from "./entry.ts";
import { LiveBody } from "./live-body.ts";
import { LiveSummary, summaryOf, timed } from "./summaries.ts";
import type { Summary } from "../model/summary.ts";

/** Bounds of what is kept and read. */
export interface ShelfLimits {
  /** Longest body that is read and sent to the page, in bytes. */
  readonly maxBodyBytes: number;
  /** Live responses that are kept at most: the oldest that are over go first. */
  readonly maxLiveResponses: number;
  /** Bytes of live responses that are kept at most, all together. */
  readonly maxLiveBytes: number;
}

/** Milliseconds between two lines of a live response. */
const LINE_EVERY = 250;

interface Shelved {
  readonly id: string;
  readonly description: ResponseDescription;
  readonly added: number;
  readonly recorded: RecordedResponse | undefined;
  readonly live: LiveBody | undefined;
  summary: Summary | null;
  failure: string | null;
}

/** Told of every change. */
export interface ShelfWatcher {
  /** An entry is new or has changed. */
  readonly entry: (info: EntryInfo) => void;
  /** An entry is no longer there. */
  readonly gone: (id: string) => void;
}

/** What a live response is fed with. */
export interface LiveFeed {
  /** A chunk came. */
  readonly push: (bytes: Uint8Array, time: number) => void;
  /** The body has ended; with a message, because something failed. */
  readonly end: (failure?: string) => void;
}

/** Holds the responses. */
export class Shelf {
  readonly #limits: ShelfLimits;
  readonly #entries: Map<string, Shelved> = new Map();
  readonly #watchers: Set<ShelfWatcher> = new Set();
  readonly #unread: Shelved[] = [];
  #reading = false;
  #count = 0;
  #closed = false;

  /** @param limits Bounds of what is kept and read. */
  constructor(limits: ShelfLimits) {
    this.#limits = limits;
  }

  /** What the page is told of each, in the order in which they were added. */
  get infos(): readonly EntryInfo[] {
    return [...this.#entries.values()].map(infoOf);
  }

  /** Adds a recorded response. */
  add(recorded: RecordedResponse): void {
    this.#unread.push(this.#shelve(recorded, recorded, undefined));
    if (!this.#reading) void this.#readLines();
  }

  /** Adds a live response. */
  open(description: ResponseDescription): LiveFeed {
    const body = new LiveBody(this.#limits.maxBodyBytes);
    const entry = this.#shelve(description, undefined, body);
    const line = new LiveSummary(description);
    let told = 0;
    this.#makeRoom();
    return {
      push: (bytes, time) => {
        const kept = body.push(bytes, time);
        if (kept.length === 0) return;
        line.push(kept, time);
        if (Date.now() - told < LINE_EVERY) return;
        told = Date.now();
        entry.summary = line.summary(false);
        this.#tell(entry);
        this.#makeRoom();
      },
      end: (failure) => {
        if (body.over) return;
        line.end();
        entry.summary = line.summary(true);
        entry.failure = failure ?? (body.cut ? `only the first ${body.length} bytes are kept` : null);
        body.end();
        this.#tell(entry);
      },
    };
  }

  #shelve(description: ResponseDescription, recorded?: RecordedResponse, live?: LiveBody): Shelved {
    const id = String(++this.#count);
    const entry = { id, description, added: Date.now(), recorded, live, summary: null, failure: null };
    this.#entries.set(id, entry);
    this.#tell(entry);
    return entry;
  }

  /** How one is to be read; undefined where there is none with this id. */
  details(id: string): EntryDetails | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    return { protocol: entry.description.protocol ?? null, tools: entry.description.tools ?? null };
  }

  /** The chunks of one so far; undefined where there is none with this id. */
  chunks(id: string): AsyncIterable<TimedBytes> | undefined {
    const entry = this.#entries.get(id);
    if (entry?.live !== undefined) return given(entry.live.chunks);
    return entry?.recorded === undefined ? undefined : this.#within(timed(entry.recorded.open()));
  }

  /** The body of a live response; undefined where there is none with this id. */
  liveBody(id: string): LiveBody | undefined {
    return this.#entries.get(id)?.live;
  }

  async *#within(chunks: AsyncIterable<TimedBytes>): AsyncGenerator<TimedBytes, void, undefined> {
    let left = this.#limits.maxBodyBytes;
    for await (const { bytes, time } of chunks) {
      yield { bytes: bytes.subarray(0, left), time };
      left -= bytes.length;
      if (left < 0) throw new Error(`only the first ${this.#limits.maxBodyBytes} bytes are shown`);
    }
  }

  /** Tells somebody of every change from now on. Gives the way to leave. */
  watch(watcher: ShelfWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Reads no more lines. */
  close(): void {
    this.#closed = true;
    this.#watchers.clear();
    for (const { live } of this.#entries.values()) live?.end();
  }

  #tell(entry: Shelved): void {
    for (const watcher of this.#watchers) watcher.entry(infoOf(entry));
  }

  async #readLines(): Promise<void> {
    this.#reading = true;
    for (let entry = this.#unread.shift(); entry !== undefined && !this.#closed; entry = this.#unread.shift()) {
      await new Promise(setImmediate);
      if (entry.recorded === undefined) continue;
      try {
        if ((await entry.recorded.isResponse?.().catch(() => true)) === false) {
          this.#leave(entry.id);
          continue;
        }
        const { maxBodyBytes } = this.#limits;
        entry.summary = await summaryOf(entry.recorded, maxBodyBytes);
        if (entry.summary.bytes > maxBodyBytes) entry.failure = `only the first ${maxBodyBytes} bytes are shown`;
      } catch (error) {
        entry.failure = error instanceof Error ? error.message : String(error);
      }
      this.#tell(entry);
    }
    this.#reading = false;
  }

  /** Lets the oldest live responses go that are over. */
  #makeRoom(): void {
    const live = [...this.#entries.values()].filter((entry) => entry.live !== undefined);
    let count = live.length;
    let bytes = live.reduce((sum, { live: body }) => sum + (body?.length ?? 0), 0);
    for (const { id, live: body } of live) {
      if (count <= this.#limits.maxLiveResponses && bytes <= this.#limits.maxLiveBytes) return;
      if (body?.over !== true) continue;
      this.#leave(id);
      count--;
      bytes -= body.length;
    }
  }

  #leave(id: string): void {
    this.#entries.delete(id);
    for (const watcher of this.#watchers) watcher.gone(id);
  }
}

function infoOf({ id, description, added, live, summary, failure }: Shelved): EntryInfo {
  return { id, name: description.name, live: live !== undefined, added, summary, failure };
}

async function* given(chunks: readonly TimedBytes[]): AsyncGenerator<TimedBytes, void, undefined> {
  // Only what is there now: what comes later is told to those who watch.
  yield* chunks.slice();
}
