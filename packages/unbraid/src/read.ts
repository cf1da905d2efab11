// The async form: any source of a response in, an async iterable of events out. Owns cancelling and the waiting;
// what the events are is reader.ts, and where the chunks come from is sources.ts.

import type { StreamEvent } from "./events.ts";
import { Reader, type Detector, type ReaderOptions } from "./reader.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { type Chunk, type Chunks, chunksOf, type Source } from "./sources.ts";

/** What `read` may be told. */
export interface ReadOptions extends ReaderOptions {
  /** Ends the reading: the source is cancelled, open calls close as truncated, the finish is `cancelled`. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds to wait for more after a finish word, before the response counts as over: some servers neither send an
   * end marker nor close the connection. Default 5,000.
   */
  readonly settleMilliseconds?: number;
}

const SETTLE = 5_000;
const ABORTED = Symbol("aborted");
const SETTLED = Symbol("settled");

/** The events of one response, as they come. Can be iterated once. Leaving the loop cancels the source. */
export class EventStream implements AsyncIterableIterator<StreamEvent, undefined> {
  readonly #reader: Reader;
  readonly #source: Source | PromiseLike<Source>;
  readonly #signal: AbortSignal | undefined;
  readonly #settle: number;
  #chunks: Chunks | undefined;
  #queue: readonly StreamEvent[] = [];
  #at = 0;
  #over = false;
  #aborted: Promise<typeof ABORTED> | undefined;
  #unlisten: (() => void) | undefined;

  constructor(reader: Reader, source: Source | PromiseLike<Source>, options: ReadOptions) {
    this.#reader = reader;
    this.#source = source;
    this.#signal = options.signal;
    this.#settle = options.settleMilliseconds ?? SETTLE;
  }

  /** The push form underneath, for `follow` and `partial`. */
  get reader(): Reader {
    return this.#reader;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamEvent, undefined>> {
    const event = this.#queue[this.#at];
    if (event === undefined) return this.#pull();
    this.#at++;
    return Promise.resolve({ done: false, value: event });
  }

  /** Leaves the reading: the source is cancelled. */
  async return(): Promise<IteratorResult<StreamEvent, undefined>> {
    this.#queue = [];
    if (!this.#over) {
      this.#over = true;
      this.#reader.cancel();
      await this.#release();
    }
    return { done: true, value: undefined };
  }

  async #pull(): Promise<IteratorResult<StreamEvent, undefined>> {
    while (!this.#over) {
      const events = await this.#more();
      const [first] = events;
      if (first === undefined) continue;
      this.#queue = events;
      this.#at = 1;
      return { done: false, value: first };
    }
    return { done: true, value: undefined };
  }

  /** The events of the next chunk, or those that end the reading. */
  async #more(): Promise<readonly StreamEvent[]> {
    try {
      this.#chunks ??= await chunksOf(this.#source);
      const chunk = await this.#wait(this.#chunks);
      if (chunk === ABORTED) return await this.#finish(this.#reader.cancel());
      if (chunk === SETTLED) return await this.#finish(this.#reader.end());
      if (chunk.done === true) return await this.#finish(this.#atEnd());
      const events = this.#reader.push(chunk.value as Chunk);
      return this.#reader.over ? await this.#finish([...events, ...this.#reader.end()]) : events;
    } catch (error) {
      return this.#finish(this.#reader.fail(error));
    }
  }

  /** The body is over. An HTTP error whose body was no error in itself is said as one. */
  #atEnd(): readonly StreamEvent[] {
    const status = this.#chunks?.httpError;
    if (status === undefined || this.#reader.errored) return this.#reader.end();
    return this.#reader.fail(new Error(`HTTP ${status}`));
  }

  async #finish(events: readonly StreamEvent[]): Promise<readonly StreamEvent[]> {
    this.#over = true;
    await this.#release();
    return events;
  }

  async #release(): Promise<void> {
    this.#unlisten?.();
    try {
      await this.#chunks?.cancel();
    } catch {
      // The source is given up; what it says about that changes nothing that was read.
    }
  }

  async #wait(chunks: Chunks): Promise<IteratorResult<unknown> | typeof ABORTED | typeof SETTLED> {
    const next = chunks.next();
    if (this.#signal === undefined && !this.#reader.finishing) return next;
    const others: Promise<typeof ABORTED | typeof SETTLED>[] = [];
    if (this.#signal !== undefined) others.push((this.#aborted ??= this.#listen(this.#signal)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (this.#reader.finishing) {
      others.push(new Promise((resolve) => (timer = setTimeout(resolve, this.#settle, SETTLED))));
    }
    try {
      return await Promise.race([next, ...others]);
    } finally {
      if (timer !== undefined) clearTimeout(timer);
      // A source that fails after it was given up must not become an unhandled rejection.
      next.catch(() => {});
    }
  }

  #listen(signal: AbortSignal): Promise<typeof ABORTED> {
    if (signal.aborted) return Promise.resolve(ABORTED);
    return new Promise((resolve) => {
      const onAbort = (): void => resolve(ABORTED);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#unlisten = () => signal.removeEventListener("abort", onAbort);
    });
  }
}

/** Makes a stream for a protocol or a detector; `read` of the index and of each wire's entry are made of it. */
export function readWith(
  protocol: Protocol | Detector,
  source: Source | PromiseLike<Source>,
  options: ReadOptions = {},
): EventStream {
  return new EventStream(new Reader(protocol, options), source, options);
}
