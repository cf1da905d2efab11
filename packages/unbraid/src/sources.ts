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
  if (typeof source === "string" || source instanceof Uint8Array || ArrayBuffer.isView(source))
    return fromIterable([source]);
  if (typeof source === "object" && source !== null) {
    if (isArrayBuffer(source)) return fromIterable([new Uint8Array(source)]);
    if (isResponse(source)) return fromResponse(source);
    if (isReadableStream(source)) return fromStream(source);
    if (Symbol.asyncIterator in source) return fromAsyncIterable(source as AsyncIterable<unknown>);
    if (Symbol.iterator in source) return fromIterable(source as Iterable<unknown>);
    if (isBlob(source)) return fromStream(source.stream());
  }
  throw new TypeError("read() takes a Response, a stream, an iterable of chunks, bytes or text");
}

function isArrayBuffer(source: object): source is ArrayBuffer {
  return Object.prototype.toString.call(source) === "[object ArrayBuffer]";
}

/** By its shape, not its class: Responses of other realms and polyfills are Responses too. */
function isResponse(source: object): source is Response {
  return "body" in source && "headers" in source && "status" in source && typeof source.status === "number";
}

function isReadableStream(source: object): source is ReadableStream<unknown> {
  return "getReader" in source && typeof source.getReader === "function";
}

function isBlob(source: object): source is Blob {
  return "stream" in source && typeof source.stream === "function" && "size" in source;
}

function fromResponse(response: Response): Chunks {
  const chunks = response.body === null ? fromIterable([]) : fromStream(response.body);
  return response.ok ? chunks : { ...chunks, httpError: response.status };
}

function fromStream(stream: ReadableStream<unknown>): Chunks {
  const reader = stream.getReader();
  let over = false;
  return {
    next: async () => {
      const { done, value } = await reader.read();
      over = done;
      return done ? { done: true, value: undefined } : { done: false, value };
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

function fromAsyncIterable(source: AsyncIterable<unknown> & Stoppable): Chunks {
  const iterator = source[Symbol.asyncIterator]();
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
      if (waiting) void returned?.catch(() => {});
      else await returned;
    },
  };
}

function fromIterable(source: Iterable<unknown>): Chunks {
  const iterator = source[Symbol.iterator]();
  return {
    next: async () => iterator.next(),
    cancel: async () => {
      iterator.return?.();
    },
  };
}
