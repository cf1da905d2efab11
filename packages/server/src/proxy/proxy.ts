// The listening proxy. Owns its sockets from the first byte to the last: what is refused before an exchange begins, how many
// go on at once, its own paths, and a stop that lets streams end.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { logObserver } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import type { Observer } from "../observe/observer.ts";
import { recorder } from "../record/recorder.ts";
import { Connections } from "./ask.ts";
import { exchange, type ExchangeSettings, refuse } from "./exchange.ts";
import { pairs } from "./headers.ts";
import {
  DEFAULT_LIMITS,
  DEFAULT_TIMEOUTS,
  numbers,
  type ProxyLimits,
  type ProxyOptions,
  type ProxyTimeouts,
} from "./settings.ts";
import { isRefusal, type Refusal, type Target, targetOf, type Upstream, upstreamOf } from "./target.ts";
import { wireOfPath } from "./wire-of.ts";

/** Paths of the proxy's own begin so: no upstream's API does. */
const OWN_PREFIX = "/-/";

/** A running proxy. */
export interface Proxy {
  /** What a client puts in front of the upstream's paths: `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Where `/healthz` and `/metrics` are, if they have a port of their own. */
  readonly adminUrl: string | undefined;
  /** Exchanges that go on. */
  readonly open: number;
  /**
   * Stops: takes no new exchanges, lets those that go on end, and closes what is left after the grace.
   *
   * @param grace Milliseconds; the configured ones by default.
   * @returns When all sockets are closed.
   */
  stop(grace?: number): Promise<void>;
}

/**
 * Starts a proxy.
 *
 * @param options See {@link ProxyOptions}.
 * @throws TypeError for options that cannot be; the error of the system where it cannot listen.
 * @example
 * const proxy = await startProxy({ upstreams: [{ url: "http://127.0.0.1:8000/v1" }], port: 8787 });
 * console.log(proxy.url);
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const running = new RunningProxy(options);
  await running.listen(options);
  return running;
}

class RunningProxy implements Proxy {
  readonly #upstreams: readonly Upstream[];
  readonly #limits: ProxyLimits;
  readonly #timeouts: ProxyTimeouts;
  readonly #settings: ExchangeSettings;
  readonly #metrics = new Metrics();
  readonly #server: Server;
  readonly #admin: Server | undefined;
  #url = "";
  #adminUrl: string | undefined;
  #open = 0;
  /** Connections that end with a refusal. */
  readonly #refused: WeakSet<Duplex> = new WeakSet();
  #count = 0;
  #stopping = false;
  #idle: (() => void) | undefined;

  constructor(options: ProxyOptions) {
    this.#upstreams = options.upstreams.map(upstreamOf);
    if (this.#upstreams.length === 0) throw new TypeError("a proxy needs an upstream");
    this.#limits = numbers(DEFAULT_LIMITS, options.limits, "limit");
    this.#timeouts = numbers(DEFAULT_TIMEOUTS, options.timeouts, "time-out");
    const log = options.log ?? ((): void => {});
    const onFault = (error: unknown): void => log(faultLine(error));
    const observers: Observer[] = [this.#metrics, ...(options.observers ?? [])];
    if (options.log !== undefined) observers.push(logObserver(options.log));
    if (options.record !== undefined) observers.push(recorder(options.record, onFault));
    this.#settings = {
      limits: this.#limits,
      timeouts: this.#timeouts,
      reading: options.reading,
      connections: new Connections(this.#limits.maxHeaderBytes),
      observers,
      onFault,
    };
    this.#server = createServer({
      maxHeaderSize: this.#limits.maxHeaderBytes,
      noDelay: true,
      keepAliveTimeout: 75_000,
    });
    this.#server.on("request", (request, response) => this.#request(request, response));
    closeStrangers(this.#server);
    this.#admin =
      options.adminPort === undefined
        ? undefined
        : createServer((request, response) => void this.#own(request.url ?? "", request, response));
    if (this.#admin !== undefined) closeStrangers(this.#admin);
  }

  async listen({ host = "127.0.0.1", port = 0, adminPort }: ProxyOptions): Promise<void> {
    this.#url = await listening(this.#server, port, host);
    if (this.#admin !== undefined) this.#adminUrl = await listening(this.#admin, adminPort ?? 0, host);
  }

  get url(): string {
    return this.#url;
  }

  get adminUrl(): string | undefined {
    return this.#adminUrl;
  }

  get open(): number {
    return this.#open;
  }

  async stop(grace: number = this.#timeouts.grace): Promise<void> {
    this.#stopping = true;
    const closed = Promise.all([this.#server, this.#admin].map((server) => closing(server)));
    if (this.#open > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, grace);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#server.closeAllConnections();
    this.#admin?.closeAllConnections();
    this.#settings.connections.close();
    await closed;
    for (const observer of this.#settings.observers) await observer.close?.();
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? "";
    if (url.startsWith(OWN_PREFIX)) return void this.#own(url.slice(OWN_PREFIX.length - 1), request, response);
    const protocol = wireOfPath(url.replace(/\?.*$/s, ""))?.protocol;
    // What was sent behind a request that was refused: nobody will get its answer, and so nobody is asked.
    if (this.#refused.has(request.socket)) return void request.resume();
    const target = this.#target(request);
    if (!isRefusal(target)) return this.#exchange(request, response, target);
    this.#refused.add(request.socket);
    refuse(response, protocol, target, true);
  }

  /** Where a request goes, or why it goes nowhere. */
  #target({ method = "", url = "", headers, rawHeaders }: IncomingMessage): Target | Refusal {
    if (headers.upgrade !== undefined && headers.upgrade.toLowerCase() === "websocket") return UPGRADE;
    const hosts = [...pairs(rawHeaders)].filter(([name]) => name.toLowerCase() === "host");
    if (hosts.length > 1) return TWO_HOSTS;
    const target = targetOf(method, url, headers.host, this.#upstreams);
    if (isRefusal(target)) return target;
    if (this.#stopping) return STOPPING;
    return this.#open < this.#limits.maxExchanges ? target : OVERLOADED;
  }

  #exchange(request: IncomingMessage, response: ServerResponse, target: Target): void {
    this.#open++;
    const id = `${process.pid.toString(36)}-${(++this.#count).toString(36)}`;
    // The connection of a stopping proxy is not kept.
    response.on("finish", () => {
      if (this.#stopping) request.socket.end();
    });
    void exchange(id, request, response, target, this.#settings).finally(() => {
      this.#open--;
      if (this.#open === 0) this.#idle?.();
    });
  }

  /** The proxy's own paths. */
  async #own(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const get = request.method === "GET" || request.method === "HEAD";
    const [name] = path.split("?");
    if (get && name === "/healthz") {
      const status = this.#stopping ? "stopping" : "ok";
      return plain(
        response,
        this.#stopping ? 503 : 200,
        "application/json",
        JSON.stringify({ status, open: this.#open }),
      );
    }
    if (get && name === "/metrics") return plain(response, 200, this.#metrics.type, await this.#metrics.text());
    return plain(response, 404, "text/plain; charset=utf-8", "There are only healthz and metrics here.\n");
  }
}

const TWO_HOSTS = { status: 400, code: "bad_request", message: "The request names two hosts." };
const UPGRADE = { status: 501, code: "bad_request", message: "WebSocket connections do not pass through this proxy." };
const STOPPING = { status: 503, code: "stopping", message: "The proxy is stopping." };
const OVERLOADED = { status: 503, code: "overloaded", message: "Too many exchanges are going on; try again." };

function plain(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
  });
  response.end(body);
}

/** Answers what is no HTTP, or wants another protocol, and closes. */
function closeStrangers(server: Server): void {
  server.on("clientError", (error: Error & { code?: string }, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  server.on("connect", (_request, socket: Duplex) => {
    socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
}

/** Listens; gives the URL. */
function listening(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve(urlOf(server));
    });
  });
}

function closing(server: Server | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (server === undefined) return resolve();
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const host =
    address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "[::1]" : family === "IPv6" ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

function faultLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ time: new Date().toISOString(), event: "fault", message });
}
