// Where a response can come from, all brought to one shape. Owns the telling apart of sources, by their shape and not their
// class: those of other realms and polyfills are sources too. Knows no event.

/** One piece of a response: bytes, text, or an object that a vendor's SDK made of one frame. */
export type Chunk = Uint8Array | string | object;

/**
 * Where a response can come from: a fetch `Response`, a byte stream, bytes or text, a Node stream, any iterable of
 * chunks, a vendor SDK's stream of objects, or a promise of one of these.
 */
export type Source =
  | Response
  | ReadableStream<unknown>
  | AsyncIterable<unknown>
  | Iterable<unknown>
  | Blob
  | ArrayBuffer
  | Uint8Array
  | string;

/** Chunks of any source. */
export interface Chunks {
  readonly next: () => Promise<IteratorResult<unknown>>;
  readonly cancel: () => Promise<void>;
  /** The status of an HTTP response that was not ok. */
  readonly httpError?: number;
}

/** True for a promise of a source, of any realm. */
export function isPromise(source: Source | PromiseLike<Source>): source is PromiseLike<Source> {
  return typeof source === "object" && source !== null && "then" in source && typeof source.then === "function";
}

/**
 * The chunks of a source, whatever it is.
 *
 * @throws TypeError where it is nothing that can be read.
 */
export function chunksOf(source: Source): Chunks {
  if (typeof source === "string" || ArrayBuffer.isView(source)) return fromIterable([source]);
  if (typeof source === "object" && source !== null) {
    if (isArrayBuffer(source)) return fromIterable([source]);
    if ("body" in source && "headers" in source && typeof source.status === "number") return fromResponse(source);
    if ("getReader" in source && typeof source.getReader === "function") return fromStream(source);
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return fromIterable(source);
    if ("stream" in source && typeof source.stream === "function") return fromStream(source.stream());
  }
  throw new TypeError("read() takes a Response, a stream, an iterable of chunks, bytes or text");
}

/** True for a buffer of any realm. */
export function isArrayBuffer(source: object): source is ArrayBuffer {
  return Object.prototype.toString.call(source) === "[object ArrayBuffer]";
}

function fromResponse({ body, ok, status }: Response): Chunks {
  const chunks = body === null ? fromIterable([]) : fromStream(body);
  return ok ? chunks : { ...chunks, httpError: status };
}

function fromStream(stream: ReadableStream<unknown>): Chunks {
  const reader = stream.getReader();
  let over = false;
  return {
    next: async () => {
      const { done, value } = await reader.read();
      over = done;
      return done ? { done, value: undefined } : { done, value };
    },
    // Not waited for: a stream that is deaf to it would hold up whoever leaves.
    cancel: async () => {
      if (!over) void reader.cancel().catch(() => {});
    },
  };
}

/** What else can stop a source whose iterator is waiting: its `return()` waits behind its `next()`. */
interface Stoppable {
  /** The SDKs' `Stream`. */
  readonly controller?: { abort?: () => void };
  /** Node's streams. */
  readonly destroy?: () => void;
}

function fromIterable(source: (AsyncIterable<unknown> | Iterable<unknown>) & Stoppable): Chunks {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let waiting = false;
  let begun = false;
  return {
    next: async () => {
      waiting = begun = true;
      try {
        return await iterator.next();
      } finally {
        waiting = false;
      }
    },
    cancel: async () => {
      if (waiting || !begun) {
        source.controller?.abort?.();
        source.destroy?.();
      }
      const returned = iterator.return?.();
      if (waiting) void Promise.resolve(returned).catch(() => {});
      else await returned;
    },
  };
}
