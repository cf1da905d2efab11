// One request to an upstream over a kept connection. Owns connecting, the time-outs before the answer begins, and the second
// try where a kept connection turns out to be closed.

import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { ExchangeFailure, upstreamFailure } from "./failure.ts";
import type { Upstream } from "./target.ts";

/** What is asked. */
export interface Question {
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value… */
  readonly headers: readonly string[];
  /** All of the body, or where it comes from. */
  readonly body: Uint8Array | Readable;
}

/** Milliseconds. */
export interface AskTimeouts {
  readonly connect: number;
  readonly firstByte: number;
}

/** Connections to upstreams, kept for the next request. */
export class Connections {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #maxHeaderBytes: number;

  constructor(maxHeaderBytes: number) {
    const options = { keepAlive: true, maxFreeSockets: 256, noDelay: true };
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  /**
   * Asks an upstream.
   *
   * @param signal Ends the connection at once, also when the answer has begun.
   * @returns The answer, once its head is there.
   * @throws ExchangeFailure where there is none.
   */
  async ask(
    upstream: Upstream,
    question: Question,
    timeouts: AskTimeouts,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    try {
      return await this.#once(upstream, question, timeouts, signal, true);
    } catch (error) {
      // The server closed a kept connection just as it was used: nothing of the request was worked on.
      if (!(error instanceof StaleConnection) || signal.aborted) throw upstreamFailure(error, false);
    }
    try {
      return await this.#once(upstream, question, timeouts, signal, false);
    } catch (error) {
      throw upstreamFailure(error, false);
    }
  }

  /** Closes the connections that nobody uses. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #once(
    upstream: Upstream,
    { method, path, headers, body }: Question,
    timeouts: AskTimeouts,
    signal: AbortSignal,
    kept: boolean,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const secure = upstream.base.protocol === "https:";
      const request: ClientRequest = (secure ? httpsRequest : httpRequest)({
        hostname: upstream.base.hostname.replace(/^\[|\]$/g, ""),
        port: upstream.base.port === "" ? (secure ? 443 : 80) : Number(upstream.base.port),
        method,
        path,
        headers: headers as string[],
        setHost: false,
        maxHeaderSize: this.#maxHeaderBytes,
        agent: kept ? (secure ? this.#https : this.#http) : false,
        signal,
      });
      const timer = new Waiting(request, timeouts);
      request.on("response", (answer) => {
        timer.stop();
        resolve(answer);
      });
      request.on("upgrade", (_answer, socket) => {
        socket.destroy();
        reject(new ExchangeFailure(502, "upstream_bad_response", "The upstream changed the protocol unasked."));
      });
      request.on("error", (error: Error & { code?: string }) => {
        timer.stop();
        const stale = kept && request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        reject(stale && body instanceof Uint8Array ? new StaleConnection("stale", { cause: error }) : error);
      });
      if (body instanceof Uint8Array) {
        request.end(body);
      } else {
        body.pipe(request);
        body.on("error", (error) => request.destroy(error));
      }
    });
  }
}

class StaleConnection extends Error {}

/** The time-outs until the answer begins. */
class Waiting {
  #timer: NodeJS.Timeout | undefined;

  constructor(request: ClientRequest, { connect, firstByte }: AskTimeouts) {
    const giveUp = (failure: ExchangeFailure): void => void request.destroy(failure);
    const connected = (): void => {
      this.stop();
      this.#timer = setTimeout(() => {
        const words = `The upstream began no answer in ${firstByte / 1000} seconds.`;
        giveUp(new ExchangeFailure(504, "upstream_first_byte_timeout", words));
      }, firstByte);
    };
    this.#timer = setTimeout(() => {
      const words = `The upstream could not be connected to in ${connect / 1000} seconds.`;
      giveUp(new ExchangeFailure(504, "upstream_connect_timeout", words));
    }, connect);
    request.on("socket", (socket) => {
      if (!socket.connecting) connected();
      else socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
    });
    request.once("close", () => this.stop());
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
