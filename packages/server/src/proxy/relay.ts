// The ways of an answer to the client: untouched, as a stream that is mended, or whole. Owns back-pressure, the end of either
// side, silence and stalling. What is written of a stream comes from whoever `Flow` is; nothing here knows a wire.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { ExchangeFailure, upstreamFailure } from "./failure.ts";
import type { ProxyTimeouts } from "./settings.ts";

/** What a relay tells and asks on the way. */
export interface RelayContext {
  readonly response: ServerResponse;
  readonly timeouts: ProxyTimeouts;
  /** Fires when the client has gone. */
  readonly gone: AbortSignal;
  /** A piece came from the upstream. */
  came(chunk: Uint8Array): void;
  /** Bytes went to the client. */
  went(bytes: number): void;
}

/** Turns the upstream's bytes into the client's. */
export interface Flow {
  push(chunk: Uint8Array): readonly Uint8Array[];
  end(): readonly Uint8Array[];
  fail(error: unknown, code?: string): readonly Uint8Array[];
  cancel(): void;
  /** Nothing more will come out. */
  readonly over: boolean;
  /** The end was announced, and the rest may never come. */
  readonly finishing: boolean;
  /** Something is held back: the client is to be kept waiting. */
  readonly waiting: boolean;
  /** Nobody knows the client's words for a failure: the answer can only break off. */
  readonly wordless: boolean;
}

/** Bytes that say nothing, by which a client knows that the connection lives. */
const COMMENT = Buffer.from(": keep-alive\n\n");

/**
 * Passes an answer on byte for byte. Both ends are closed when either fails; a broken answer breaks off at the client too.
 *
 * @returns When the client has all of it.
 * @throws ExchangeFailure where the upstream broke off.
 */
export function passUntouched(answer: IncomingMessage, context: RelayContext): Promise<void> {
  const { response } = context;
  return new Promise((resolve, reject) => {
    const watch = new Watch(context, (failure) => {
      answer.destroy();
      response.destroy();
      reject(failure);
    });
    answer.on("data", (chunk: Uint8Array) => {
      context.came(chunk);
      context.went(chunk.length);
      watch.heard();
      if (response.write(chunk)) return;
      answer.pause();
      watch.stalled();
    });
    response.on("drain", () => {
      watch.drained();
      answer.resume();
    });
    answer.on("end", () => {
      watch.stop();
      response.end(resolve);
    });
    // What has begun cannot be said to have failed but by breaking off.
    broken(answer, (error) => {
      watch.stop();
      response.destroy();
      reject(upstreamFailure(error, true));
    });
    context.gone.addEventListener("abort", () => {
      watch.stop();
      answer.destroy();
      resolve();
    });
    // Reading may have begun elsewhere, and been stopped.
    answer.resume();
  });
}

/**
 * Sends what a flow makes of an answer, as it comes.
 *
 * @param answer The connection to the upstream.
 * @param body Its body, decompressed.
 * @param comments Whether the client's framing has comments.
 * @returns The failure that was told to the client in its own words, or undefined.
 */
export function passThrough(
  answer: IncomingMessage,
  body: Readable,
  flow: Flow,
  comments: boolean,
  context: RelayContext,
): Promise<ExchangeFailure | undefined> {
  return new Promise((resolve) => new Passing(answer, body, flow, comments, context, resolve));
}

class Passing {
  readonly #answer: IncomingMessage;
  readonly #body: Readable;
  readonly #flow: Flow;
  readonly #context: RelayContext;
  readonly #done: (failure: ExchangeFailure | undefined) => void;
  readonly #watch: Watch;
  #keepAlive: NodeJS.Timeout | undefined;
  #settle: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(
    answer: IncomingMessage,
    body: Readable,
    flow: Flow,
    comments: boolean,
    context: RelayContext,
    done: (failure: ExchangeFailure | undefined) => void,
  ) {
    this.#answer = answer;
    this.#body = body;
    this.#flow = flow;
    this.#context = context;
    this.#done = done;
    this.#watch = new Watch(context, (failure) => this.#fail(failure));
    if (comments) this.#keepAlive = setInterval(() => this.#comment(), context.timeouts.keepAlive);
    body.on("data", (chunk: Uint8Array) => this.#take(chunk));
    body.on("end", () => this.#end(() => flow.end()));
    broken(body, (error) => this.#fail(bodyFailure(error, body !== answer)));
    context.response.on("drain", () => {
      this.#watch.drained();
      body.resume();
    });
    context.gone.addEventListener("abort", () => this.#leave());
  }

  #take(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#context.came(chunk);
    this.#watch.heard();
    clearTimeout(this.#settle);
    this.#send(this.#flow.push(chunk));
    if (this.#flow.over) this.#end(() => []);
    else if (this.#flow.finishing)
      this.#settle = setTimeout(() => this.#end(() => this.#flow.end()), this.#context.timeouts.settle);
  }

  #send(pieces: readonly Uint8Array[]): void {
    if (pieces.length === 0) return;
    const bytes = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
    if (bytes.length === 0) return;
    this.#context.went(bytes.length);
    this.#keepAlive?.refresh();
    if (this.#context.response.write(bytes)) return;
    this.#body.pause();
    this.#watch.stalled();
  }

  #comment(): void {
    if (this.#flow.waiting && !this.#context.response.writableNeedDrain) this.#context.response.write(COMMENT);
  }

  #fail(failure: ExchangeFailure): void {
    if (failure.code === "client_stalled") {
      this.#stop();
      this.#flow.cancel();
      this.#answer.destroy();
      this.#context.response.destroy();
      this.#done(failure);
      return;
    }
    this.#end(() => this.#flow.fail(failure, failure.code), failure);
  }

  #end(last: () => readonly Uint8Array[], failure?: ExchangeFailure): void {
    if (this.#ended) return;
    this.#stop();
    this.#send(last());
    this.#body.resume();
    const { response } = this.#context;
    if (failure !== undefined && this.#flow.wordless) {
      response.destroy();
      this.#done(failure);
    } else {
      response.end(() => this.#done(failure));
    }
    this.#drain();
  }

  /** What still comes is not wanted; a short rest is read so that the connection can serve again. */
  #drain(): void {
    const answer = this.#answer;
    if (answer.complete || answer.destroyed) return;
    const timer = setTimeout(() => answer.destroy(), REST);
    answer.once("close", () => clearTimeout(timer));
    answer.resume();
  }

  #leave(): void {
    if (this.#ended) return;
    this.#stop();
    this.#flow.cancel();
    this.#answer.destroy();
    this.#body.destroy();
    this.#done(undefined);
  }

  #stop(): void {
    this.#ended = true;
    this.#watch.stop();
    clearInterval(this.#keepAlive);
    clearTimeout(this.#settle);
  }
}

/** Milliseconds for the rest of an answer that is over. */
const REST = 500;

function bodyFailure(error: unknown, coded: boolean): ExchangeFailure {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (
    coded &&
    /^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ZSTD_|BROTLI_|ERR_)/.test(code) &&
    code !== "ERR_STREAM_PREMATURE_CLOSE"
  )
    return new ExchangeFailure(502, "upstream_bad_encoding", "The upstream's compressed answer is damaged.", error);
  return upstreamFailure(error, true);
}

/** Calls back once when a body ends other than well. */
function broken(body: Readable, back: (error: unknown) => void): void {
  let told = false;
  const tell = (error: unknown): void => {
    if (told) return;
    told = true;
    back(error);
  };
  body.on("error", tell);
  body.on("close", () => {
    if (!body.readableEnded) tell(new Error("closed"));
  });
}

/** Waits for either side, never for both. */
class Watch {
  readonly #context: RelayContext;
  readonly #give: (failure: ExchangeFailure) => void;
  #silence: NodeJS.Timeout | undefined;
  #stall: NodeJS.Timeout | undefined;

  constructor(context: RelayContext, give: (failure: ExchangeFailure) => void) {
    this.#context = context;
    this.#give = give;
    this.drained();
  }

  heard(): void {
    this.#silence?.refresh();
  }

  /** The client takes nothing for now: the upstream's silence is our doing. */
  stalled(): void {
    if (this.#stall !== undefined) return;
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#stall = setTimeout(() => {
      this.#give(new ExchangeFailure(502, "client_stalled", "The client takes nothing."));
    }, this.#context.timeouts.stall);
  }

  drained(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#silence ??= setTimeout(() => {
      const seconds = this.#context.timeouts.silence / 1000;
      this.#give(new ExchangeFailure(504, "upstream_silent", `The upstream sent nothing for ${seconds} seconds.`));
    }, this.#context.timeouts.silence);
  }

  stop(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#stall);
    this.#silence = undefined;
    // Nothing is to be begun anew.
    this.#stall = undefined;
    this.drained = () => {};
    this.stalled = () => {};
  }
}

/**
 * Reads an answer to its end, up to a size.
 *
 * @returns The bytes, and whether there is more; then the answer is paused.
 * @throws ExchangeFailure where the upstream breaks off or falls silent.
 */
export function readWhole(
  answer: IncomingMessage,
  max: number,
  context: RelayContext,
): Promise<{ readonly bytes: Buffer; readonly more: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const watch = new Watch(context, (failure) => {
      answer.destroy();
      reject(failure);
    });
    const take = (chunk: Uint8Array): void => {
      watch.heard();
      chunks.push(chunk);
      size += chunk.length;
      if (size <= max) return;
      answer.pause();
      finish(true);
    };
    const over = (): void => finish(false);
    const finish = (more: boolean): void => {
      watch.stop();
      answer.off("data", take);
      answer.off("end", over);
      resolve({ bytes: Buffer.concat(chunks), more });
    };
    answer.on("data", take);
    answer.on("end", over);
    broken(answer, (error) => {
      watch.stop();
      reject(upstreamFailure(error, true));
    });
    context.gone.addEventListener("abort", () => {
      watch.stop();
      answer.destroy();
    });
  });
}
