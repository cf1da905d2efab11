// The bytes of a live response, kept in memory as they came. Owns the chunks, their bound, and who is told of new ones.

import type { TimedBytes } from "./entry.ts";

/** Told of each new chunk with its offset, and of the end. */
export interface LiveWatcher {
  /** A chunk came. */
  readonly chunk: (offset: number, chunk: TimedBytes) => void;
  /** The body has ended. */
  readonly end: () => void;
}

/** A body that grows. */
export class LiveBody {
  readonly #chunks: TimedBytes[] = [];
  readonly #watchers: Set<LiveWatcher> = new Set();
  readonly #limit: number;
  #length = 0;
  #over = false;
  #cut = false;

  /** @param limit Bytes that are kept at most. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are kept. */
  get length(): number {
    return this.#length;
  }

  /** Whether the body has ended. */
  get over(): boolean {
    return this.#over;
  }

  /** Whether more came than is kept. */
  get cut(): boolean {
    return this.#cut;
  }

  /** What has come so far. */
  get chunks(): readonly TimedBytes[] {
    return this.#chunks;
  }

  /** Keeps a copy of a chunk: the caller may use its array again. Gives what was kept of it. */
  push(bytes: Uint8Array, time: number): Uint8Array {
    const kept = bytes.slice(0, Math.max(0, this.#limit - this.#length));
    if (kept.length < bytes.length) this.#cut = true;
    if (this.#over || kept.length === 0) return new Uint8Array();
    const chunk = { bytes: kept, time };
    const offset = this.#length;
    this.#chunks.push(chunk);
    this.#length += kept.length;
    for (const watcher of this.#watchers) watcher.chunk(offset, chunk);
    return kept;
  }

  /** Ends it. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    for (const watcher of this.#watchers) watcher.end();
    this.#watchers.clear();
  }

  /** Tells somebody of what comes from now on. Gives the way to leave. */
  watch(watcher: LiveWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}
