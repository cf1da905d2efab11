// One request and its answer. Owns the order of things: read the request as far as it matters, ask the upstream, choose how
// the answer goes to the client, and say how it ended.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { ProtocolName } from "unbraid";
import { rescue } from "unbraid/rescue";
import type { Dialect, Obj, OutFraming } from "../mend/dialect.ts";
import { dialects } from "../mend/dialects.ts";
import { Mender, type MendOptions } from "../mend/mender.ts";
import { asksForOne } from "../mend/one-choice.ts";
import { mendWhole } from "../mend/whole.ts";
import { type ExchangeInfo, Listeners, type Observer } from "../observe/observer.ts";
import type { Connections } from "./ask.ts";
import { toolsOf } from "./declared-tools.ts";
import { codingOf, decoded, decodedWhole, isKnown } from "./decoding.ts";
import { ExchangeFailure, upstreamFailure } from "./failure.ts";
import { headerOf, OF_THE_BYTES, passedOn, requestHeaders, withHeader } from "./headers.ts";
import { passThrough, passUntouched, readWhole, type RelayContext } from "./relay.ts";
import { parsedRequest, readRequest } from "./request-body.ts";
import type { ProxyLimits, ProxyOptions, ProxyTimeouts } from "./settings.ts";
import { Sniffer } from "./sniffer.ts";
import { Tally } from "./tally.ts";
import { type Asked, askedOf, errorWords, keptHeaders } from "./translated-exchange.ts";
import { Translating, translateWhole, type TranslatingOptions } from "./translating.ts";
import type { Target } from "./target.ts";
import { errorBody } from "./wire-errors.ts";
import { asksForStream, framingFor, MEDIA_TYPES, type PathWire, wireOfPath } from "./wire-of.ts";

/** What all exchanges of a proxy share. */
export interface ExchangeSettings {
  readonly limits: ProxyLimits;
  readonly timeouts: ProxyTimeouts;
  readonly reading: ProxyOptions["reading"];
  readonly connections: Connections;
  readonly observers: readonly Observer[];
  readonly onFault: (error: unknown) => void;
}

/** What is known of the request. */
interface Request {
  readonly raw: Uint8Array | undefined;
  readonly body: Obj | undefined;
}

/** Runs one exchange. Never rejects: what goes wrong is told to the client. */
export async function exchange(
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  settings: ExchangeSettings,
): Promise<void> {
  return new Exchange(id, request, response, target, settings).run();
}

class Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #target: Target;
  readonly #settings: ExchangeSettings;
  readonly #wire: PathWire | undefined;
  readonly #tally = new Tally();
  readonly #listeners: Listeners;
  readonly #gone = new AbortController();

  constructor(
    id: string,
    request: IncomingMessage,
    response: ServerResponse,
    target: Target,
    settings: ExchangeSettings,
  ) {
    this.#request = request;
    this.#response = response;
    this.#target = target;
    this.#settings = settings;
    this.#wire = wireOfPath(target.asked);
    this.#tally.protocol = this.#translates
      ? target.upstream.between?.server
      : (this.#wire?.protocol ?? target.upstream.protocol);
    const info: ExchangeInfo = {
      id,
      startedAt: Date.now(),
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.rawHeaders,
      upstream: target.upstream.name,
      protocol: this.#tally.protocol,
    };
    this.#listeners = new Listeners(settings.observers, info, settings.onFault);
  }

  async run(): Promise<void> {
    const response = this.#response;
    response.on("close", () => {
      if (response.writableFinished) return;
      this.#tally.clientGone = this.#tally.error === undefined;
      this.#gone.abort();
    });
    // A write after the client has gone is told by `close`.
    response.on("error", () => {});
    try {
      await this.#answer();
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#tally.status = response.headersSent ? response.statusCode : 0;
      this.#listeners.end(this.#tally.summary());
    }
  }

  async #answer(): Promise<void> {
    const { connections, timeouts } = this.#settings;
    const { upstream, path } = this.#target;
    const request = await this.#read();
    if (this.#translates) return this.#translate(request);
    const { raw } = request;
    const question = {
      method: this.#request.method ?? "GET",
      path,
      headers: requestHeaders(this.#request.rawHeaders, upstream.base.host, this.#length(raw)),
      body: raw ?? this.#request,
    };
    const answer = await connections.ask(upstream, question, timeouts, this.#gone.signal);
    this.#listeners.head({ status: answer.statusCode ?? 0, headers: answer.rawHeaders });
    this.#tally.mode = "passed";
    return this.#relay(answer, request);
  }

  /** Whether the client speaks another wire than the server. */
  get #translates(): boolean {
    const { between } = this.#target.upstream;
    const own = this.#wire?.mendable === true && this.#wire.protocol === between?.client;
    return own && this.#request.method === "POST";
  }

  async #translate({ body }: Request): Promise<void> {
    const { connections, timeouts, limits } = this.#settings;
    const { upstream } = this.#target;
    const asked = askedOf(this.#request, this.#target, body);
    for (const { code } of asked.request.notices) this.#tally.notice(`request:${code}`);
    const answer = await connections.ask(upstream, asked.question, timeouts, this.#gone.signal);
    this.#listeners.head({ status: answer.statusCode ?? 0, headers: answer.rawHeaders });
    const coding = codingOf(headerOf(answer.rawHeaders, "content-encoding"));
    const status = answer.statusCode ?? 502;
    const ok = status >= 200 && status < 300 && isKnown(coding);
    if (ok && asked.request.stream) return this.#translateStream(answer, coding, asked);
    const context = this.#context();
    const { bytes, more } = await readWhole(answer, limits.maxWholeBytes, context);
    if (this.#gone.signal.aborted) return;
    const plain = await decodedWhole(bytes, coding, limits.maxWholeBytes).catch(() => bytes);
    context.came(plain);
    if (more || !isKnown(coding))
      throw new ExchangeFailure(
        502,
        "upstream_bad_response",
        "The upstream's answer is too long, or cannot be decoded.",
      );
    const kept = keptHeaders(answer.rawHeaders);
    this.#tally.mode = "whole";
    this.#tally.mended = true;
    if (!ok) {
      const { code, message } = errorWords(plain, status);
      return this.#send(status, kept, errorBody(asked.client, status, code, message).body);
    }
    const whole = translateWhole(plain, this.#translating(asked, body));
    for (const { code } of whole.notices) this.#tally.notice(`answer:${code}`);
    return this.#send(whole.status, { ...kept, "content-type": whole.contentType }, JSON.stringify(whole.body));
  }

  async #translateStream(answer: IncomingMessage, coding: string, asked: Asked): Promise<void> {
    this.#tally.mode = "stream";
    this.#tally.mended = true;
    const flow = new Translating(this.#translating(asked, asked.request.body));
    this.#response.writeHead(200, { ...keptHeaders(answer.rawHeaders), ...flow.headers });
    this.#response.flushHeaders();
    const sse = flow.headers["content-type"]?.startsWith("text/event-stream") === true;
    const failure = await passThrough(answer, decoded(answer, coding), flow, sse, this.#context());
    for (const { code } of flow.notices) this.#tally.notice(`answer:${code}`);
    this.#tally.error ??= failure?.code;
  }

  #translating({ client, server, request }: Asked, body: Obj | undefined): TranslatingOptions {
    const {
      hold,
      repair,
      reader = {},
      onEvents = () => {},
      oneChoice = false,
    } = this.#mending({ raw: undefined, body });
    const { clientModel, customTools, includeUsage } = request;
    return {
      client,
      server,
      array: framingFor(client, this.#request.url ?? "") === "json-array",
      includeUsage,
      encode: {
        from: server,
        hold: hold === true || repair === true,
        customTools,
        ...(clientModel === undefined ? {} : { model: clientModel }),
      },
      repair: repair === true,
      oneChoice,
      reader,
      onEvents,
    };
  }

  /** A whole body of ours. */
  async #send(status: number, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
    const length = Buffer.byteLength(body);
    this.#response.writeHead(status, { "content-type": "application/json", ...headers, "content-length": length });
    this.#tally.bytesOut += length;
    await new Promise<void>((resolve) => {
      this.#gone.signal.addEventListener("abort", () => resolve());
      this.#response.end(body, resolve);
    });
  }

  /** The request's body, where its wire has to be known; else it goes on as it comes. */
  async #read(): Promise<Request> {
    const request = this.#request;
    const bodiless =
      request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined;
    if (bodiless || request.method === "GET" || request.method === "HEAD") {
      request.resume();
      return { raw: new Uint8Array(0), body: undefined };
    }
    if (this.#wire === undefined && !isShortJson(request, this.#settings.limits.maxRequestBytes))
      return { raw: undefined, body: undefined };
    const raw = await readRequest(request, this.#settings.limits.maxRequestBytes);
    this.#listeners.request(raw);
    return { raw, body: parsedRequest(raw, request.headers["content-encoding"]) };
  }

  #length(raw: Uint8Array | undefined): number | undefined {
    const given = this.#request.headers["content-length"];
    if (raw === undefined) return given === undefined ? undefined : Number(given);
    return raw.length > 0 || given !== undefined || this.#request.method === "POST" ? raw.length : undefined;
  }

  async #relay(answer: IncomingMessage, request: Request): Promise<void> {
    const status = answer.statusCode ?? 502;
    const type = (headerOf(answer.rawHeaders, "content-type") ?? "").toLowerCase();
    const coding = codingOf(headerOf(answer.rawHeaders, "content-encoding"));
    const wire = this.#wire;
    const streams = type.startsWith("text/event-stream") || type.startsWith("application/x-ndjson");
    const readable = status === 200 && this.#request.method === "POST" && isKnown(coding);
    if (!readable) return this.#untouched(answer);
    // Of a compressed stream nobody can tell what it is and pass it on as it came.
    if (wire === undefined)
      return streams && coding === "identity" ? this.#sniffed(answer, request) : this.#untouched(answer);
    const dialect = wire.mendable ? dialects[wire.protocol] : undefined;
    if (dialect === undefined) return this.#untouched(answer);
    const asked = asksForStream(wire.protocol, this.#target.asked, request.body);
    if (asked === true || streams)
      return this.#stream(answer, coding, dialect, framingFor(wire.protocol, this.#target.path), request);
    if (type.startsWith("application/json")) return this.#whole(answer, coding, wire.protocol, request);
    return this.#untouched(answer);
  }

  async #untouched(answer: IncomingMessage): Promise<void> {
    this.#response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedOn(answer.rawHeaders));
    this.#response.flushHeaders();
    return passUntouched(answer, this.#context());
  }

  async #stream(
    answer: IncomingMessage,
    coding: string,
    dialect: Dialect<unknown>,
    framing: OutFraming,
    request: Request,
  ): Promise<void> {
    this.#tally.mode = "stream";
    const mender = new Mender(dialect, { ...this.#mending(request), framing });
    const kept = passedOn(answer.rawHeaders, OF_THE_BYTES);
    const type = headerOf(kept, "content-type") ?? "";
    const right = type.toLowerCase().startsWith(MEDIA_TYPES[framing]);
    const headers = right ? kept : withHeader(kept, "Content-Type", MEDIA_TYPES[framing]);
    this.#response.writeHead(answer.statusCode ?? 200, answer.statusMessage, headers);
    this.#response.flushHeaders();
    const failure = await passThrough(answer, decoded(answer, coding), mender, framing === "sse", this.#context());
    this.#tally.mended = mender.mended;
    this.#tally.error ??= failure?.code;
  }

  /** A stream under a path that says nothing: its first frame tells whether it is one of ours. */
  async #sniffed(answer: IncomingMessage, request: Request): Promise<void> {
    const headers = passedOn(answer.rawHeaders, OF_THE_BYTES);
    this.#response.writeHead(answer.statusCode ?? 200, answer.statusMessage, headers);
    this.#response.flushHeaders();
    this.#tally.mode = "stream";
    const sniffer = new Sniffer((protocol, framing) => {
      const dialect = dialects[protocol];
      if (dialect === undefined) return undefined;
      this.#tally.protocol = protocol;
      return new Mender(dialect, { ...this.#mending(request), framing });
    });
    const failure = await passThrough(answer, answer, sniffer, false, this.#context());
    this.#tally.mended = sniffer.mended;
    this.#tally.error ??= failure?.code;
  }

  async #whole(answer: IncomingMessage, coding: string, protocol: ProtocolName, request: Request): Promise<void> {
    const { maxWholeBytes } = this.#settings.limits;
    const context = this.#context();
    const { bytes, more } = await readWhole(answer, maxWholeBytes, context);
    if (this.#gone.signal.aborted) return;
    if (more) {
      this.#response.writeHead(answer.statusCode ?? 200, answer.statusMessage, passedOn(answer.rawHeaders));
      context.came(bytes);
      context.went(bytes.length);
      this.#response.write(bytes);
      return passUntouched(answer, context);
    }
    this.#tally.mode = "whole";
    const plain = await decodedWhole(bytes, coding, maxWholeBytes).catch(() => undefined);
    context.came(plain ?? bytes);
    const { reader, onEvents, oneChoice = false } = this.#mending(request);
    const options = {
      oneChoice,
      ...(reader === undefined ? {} : { reader }),
      ...(onEvents === undefined ? {} : { onEvents }),
      repair: this.#target.upstream.repair === true,
    };
    const mended = plain === undefined ? undefined : mendWhole(protocol, plain, options);
    const same = mended === undefined || mended === plain;
    this.#tally.mended = !same;
    const body = same ? bytes : mended;
    const headers = passedOn(answer.rawHeaders, same ? ["content-length"] : OF_THE_BYTES);
    this.#response.writeHead(answer.statusCode ?? 200, answer.statusMessage, [
      ...headers,
      "Content-Length",
      String(body.length),
    ]);
    context.went(body.length);
    await new Promise<void>((resolve) => {
      this.#gone.signal.addEventListener("abort", () => resolve());
      this.#response.end(body, resolve);
    });
  }

  #mending({ body }: Request): Omit<MendOptions, "framing"> {
    const { hold = false, repair = false, rescue: rescues = false } = this.#target.upstream;
    const tools = toolsOf(body);
    const { reading } = this.#settings;
    return {
      hold,
      repair,
      oneChoice: asksForOne(body),
      reader: {
        ...(reading === undefined ? {} : { limits: reading }),
        ...(tools === undefined ? {} : { tools }),
        ...(rescues ? { rescue } : {}),
      },
      onEvents: (events) => {
        this.#tally.events(events);
        this.#listeners.events(events);
      },
    };
  }

  #context(): RelayContext {
    const { timeouts } = this.#settings;
    return {
      response: this.#response,
      timeouts,
      gone: this.#gone.signal,
      came: (chunk) => {
        this.#tally.came(chunk.length);
        this.#listeners.bytes(chunk, this.#tally.elapsed);
      },
      went: (bytes) => (this.#tally.bytesOut += bytes),
    };
  }

  /** Says what went wrong, where the client can still be told. */
  #refuse(error: unknown): void {
    const failure = error instanceof ExchangeFailure ? error : upstreamFailure(error, false);
    if (this.#gone.signal.aborted) return;
    this.#tally.error ??= failure.code;
    refuse(this.#response, this.#wire?.protocol, failure, !this.#request.complete);
  }
}

/** A body that may tell of tools, under a path that tells nothing. */
function isShortJson({ headers }: IncomingMessage, max: number): boolean {
  const length = Number(headers["content-length"] ?? Infinity);
  return (headers["content-type"] ?? "").toLowerCase().startsWith("application/json") && length <= max;
}

/** Answers with an error in the client's own form, or breaks off where an answer has begun. */
export function refuse(
  response: ServerResponse,
  protocol: ProtocolName | undefined,
  failure: { readonly status: number; readonly code: string; readonly message: string },
  close = false,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { type, body } = errorBody(protocol, failure.status, failure.code, failure.message);
  response.writeHead(failure.status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    ...(failure.status === 503 ? { "retry-after": "1" } : {}),
    // The rest of a request that is not read would be taken for the next one.
    ...(close ? { connection: "close" } : {}),
  });
  response.end(body);
}
