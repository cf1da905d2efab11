// The async form: any source of a response in, an async iterable of events out. Owns cancelling and the waiting;
// what the events are is reader.ts, and where the chunks come from is sources.ts.

import type { StreamEvent } from "./events.ts";
import type { Reader, ReaderOptions } from "./reader.ts";
import { type Chunk, type Chunks, chunksOf, isPromise, type Source } from "./sources.ts";

/** What `read` may be told. */
export interface ReadOptions extends ReaderOptions {
  /** Ends the reading: the source is cancelled, open calls close as truncated, the finish is `cancelled`. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds to wait for more after a finish word, before the response counts as over: some servers neither send an
   * end marker nor close the connection. Default 5,000; `Infinity` waits for as long as it takes.
   */
  readonly settleMilliseconds?: number;
}

const SETTLE = 5_000;

/** What ends a wait for the next chunk before the chunk has come. */
type Interruption = "aborted" | "settled" | "left";

/** The events of one response, as they come. Can be iterated once. Leaving the loop cancels the source. */
export class EventStream implements AsyncIterableIterator<StreamEvent, undefined> {
  readonly #reader: Reader;
  readonly #signal: AbortSignal | undefined;
  readonly #settle: number;
  /** Takes hold of a source that was promised, or could not be taken hold of at once. */
  readonly #open: () => Promise<Chunks>;
  #chunks: Chunks | undefined;
  #queue: readonly StreamEvent[] = [];
  #at = 0;
  #over = false;
  /** The last of the pulls that are under way: each waits for the one before, so that events keep their order. */
  #last: Promise<unknown> | undefined;
  /** Ends the wait that is under way. One function that changes: a promise for all waits would keep each of them alive. */
  #interrupt: ((by: Interruption) => void) | undefined;
  readonly #onAbort = (): void => this.#interrupt?.("aborted");

  /** Made by `read`; takes hold of the source at once. */
  constructor(reader: Reader, source: Source | PromiseLike<Source>, options: ReadOptions) {
    this.#reader = reader;
    this.#signal = options.signal;
    this.#settle = options.settleMilliseconds ?? SETTLE;
    const open = (given: Source): Chunks => {
      const chunks = chunksOf(given);
      if (chunks.httpError !== undefined) reader.refused(chunks.httpError);
      return chunks;
    };
    this.#open = async () => open(await source);
    // Streams that emit whether or not anybody listens (the SDKs' helpers) must be taken hold of at once.
    if (isPromise(source)) return;
    try {
      this.#chunks = open(source);
    } catch {
      // Said when it is read: it is tried once more then.
    }
  }

  /** The push form underneath, for `follow` and `partial`. */
  get reader(): Reader {
    return this.#reader;
  }

  /** The events themselves: there is one reading, and it can be iterated once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event; waits for it. Several may be asked for at once: they come in order. */
  next(): Promise<IteratorResult<StreamEvent, undefined>> {
    const event = this.#queue[this.#at];
    if (this.#last === undefined && event !== undefined) {
      this.#at++;
      return Promise.resolve({ done: false, value: event });
    }
    const pull = this.#last === undefined ? this.#pull() : this.#last.then(() => this.#pull());
    this.#last = pull;
    void pull.then(() => {
      if (this.#last === pull) this.#last = undefined;
    });
    return pull;
  }

  /** Leaves the reading: the source is cancelled. */
  async return(): Promise<IteratorResult<StreamEvent, undefined>> {
    this.#queue = [];
    if (!this.#over) {
      this.#over = true;
      this.#reader.cancel();
      this.#interrupt?.("left");
      await this.#release();
    }
    return { done: true, value: undefined };
  }

  async #pull(): Promise<IteratorResult<StreamEvent, undefined>> {
    for (;;) {
      const event = this.#queue[this.#at];
      if (event !== undefined) {
        this.#at++;
        return { done: false, value: event };
      }
      if (this.#over) return { done: true, value: undefined };
      this.#queue = await this.#more();
      this.#at = 0;
    }
  }

  /** The events of the next chunk, or those that end the reading; none where it was left. */
  async #more(): Promise<readonly StreamEvent[]> {
    try {
      this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
      const chunk = await this.#wait(() => this.#chunk());
      if (chunk === "left") return [];
      if (chunk === "aborted") return await this.#finish(this.#reader.cancel());
      if (chunk === "settled") return await this.#finish(this.#reader.end());
      if (chunk.done === true) return await this.#finish(this.#atEnd());
      const events = this.#reader.push(chunk.value as Chunk);
      return this.#reader.over ? await this.#finish([...events, ...this.#reader.end()]) : events;
    } catch (error) {
      if (this.#over) return [];
      return this.#finish(this.#signal?.aborted === true ? this.#reader.cancel() : this.#reader.fail(error));
    }
  }

  /** The next chunk. Of a source that is held, without a promise of our own: there is one for each chunk. */
  #chunk(): Promise<IteratorResult<unknown>> {
    return this.#chunks === undefined || this.#over ? this.#firstChunk() : this.#chunks.next();
  }

  async #firstChunk(): Promise<IteratorResult<unknown>> {
    const chunks = (this.#chunks ??= await this.#open());
    if (!this.#over) return chunks.next();
    // It came after it was given up.
    await quietly(() => chunks.cancel());
    return { done: true, value: undefined };
  }

  /** The body is over. An HTTP error whose body was no error in itself is said as one. */
  #atEnd(): readonly StreamEvent[] {
    const status = this.#chunks?.httpError;
    return status === undefined ? this.#reader.end() : this.#reader.fail(new Error(`HTTP status ${status}`), "http");
  }

  async #finish(events: readonly StreamEvent[]): Promise<readonly StreamEvent[]> {
    this.#over = true;
    await this.#release();
    return events;
  }

  async #release(): Promise<void> {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    // The source is given up; what it says about that changes nothing that was read.
    await quietly(() => this.#chunks?.cancel());
  }

  /** The next value, or what came before it. */
  async #wait<T>(next: () => Promise<T>): Promise<T | Interruption> {
    if (this.#signal?.aborted === true) return "aborted";
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise<T | Interruption>((resolve, reject) => {
        this.#interrupt = resolve;
        if (this.#reader.finishing && this.#settle !== Infinity) timer = setTimeout(resolve, this.#settle, "settled");
        next().then(resolve, reject);
      });
    } finally {
      this.#interrupt = undefined;
      if (timer !== undefined) clearTimeout(timer);
    }
  }
}

async function quietly(act: () => Promise<void> | undefined): Promise<void> {
  try {
    await act();
  } catch {
    // Nobody is left to be told.
  }
}
