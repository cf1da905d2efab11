// What the models of all vendors share: their options, and how a request goes out over fetch or through a client. Owns
// that; what differs between vendors is said by each vendor's file.

import { modelErrorOf } from "../harness/model-error.ts";
import type { Model, ModelRequest } from "../harness/model.ts";
import type { Source } from "../sources.ts";
import { forSdk } from "../turns/sdk-spelling.ts";
import type { TurnForm } from "../turns/turn-form.ts";
import type { Wire } from "../wire.ts";
import { type Fetch, post } from "./http.ts";

/** Fields of a request's body. */
export type Body = Readonly<Record<string, unknown>>;

/** What every model may be told. */
export interface ModelOptions {
  /** The model's name, as the vendor has it. */
  readonly model: string;
  /**
   * More fields for the request's body, in the vendor's own words: `{ temperature: 0 }`. Objects are merged one level
   * deep, `tools` are put behind ours, everything else takes the place of ours.
   */
  readonly body?: Body;
  /** The provider's name for telemetry, where it is not the one whose wire it is: `"groq"`. */
  readonly provider?: string;
}

/** A model over `fetch`. */
export interface HttpModelOptions extends ModelOptions {
  /** The key, or what gives one for each request. Never shown in errors, and in no event that is not the server's own words. */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** The address up to the vendor's version, `http://127.0.0.1:8000/v1`. A query is kept (Azure's `?api-version=…`). */
  readonly baseURL?: string;
  /** More headers. Those with a name that speaks of a key, a token or a cookie are kept secret too. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Used in place of the global one. */
  readonly fetch?: Fetch;
  /** How often a request is tried again on 408, 409, 425, 429, 5xx and connection errors. Default 2. */
  readonly retries?: number;
  /** Milliseconds to wait for the head of an answer; 0 or Infinity for as long as it takes. Default 600,000. */
  readonly timeoutMs?: number;
}

/** A model over an SDK client that you have: its own key, retries and time limits are used. */
export interface ClientModelOptions<Client> extends ModelOptions {
  /** The client. */
  readonly client: Client;
}

/** What one vendor's requests look like. */
export interface Vendor<Client> {
  readonly wire: Wire;
  readonly form: TurnForm;
  readonly provider: string;
  /** Where the vendor is, up to the version; undefined where there is no such place. */
  readonly baseURL: string | undefined;
  /** What comes behind it. */
  readonly path: (model: string) => string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** The body: instructions, history and tools in the vendor's fields, and what else a request needs. */
  readonly body: (model: string, parts: Body) => Body;
  /** Asks through a client. Gives its stream, or a promise of it. */
  readonly ask: (client: Client, body: Body, signal: AbortSignal, model: string) => Source | PromiseLike<Source>;
}

const RETRIES = 2;
const TIMEOUT = 600_000;
const SECRET_HEADER = /auth|key|token|secret|cookie|credential/i;

/**
 * Makes a model.
 *
 * @throws TypeError where the options cannot be used: no model, no address, a key in the address.
 */
export function modelOf<Client>(vendor: Vendor<Client>, options: HttpModelOptions | ClientModelOptions<Client>): Model {
  if (typeof options.model !== "string" || options.model === "")
    throw new TypeError(`A ${vendor.wire.name} model needs its name: give \`model\`.`);
  const spelled = "client" in options ? forSdk(vendor.form) : vendor.form;
  // A history is kept in ledgers as JSON: bytes become bytes only on their way to the SDK.
  const form = vendor.wire.name === "bedrock" ? vendor.form : spelled;
  const body = ({ system, messages, tools }: ModelRequest): Body => {
    const parts = spelled.request({
      messages,
      ...(system === undefined ? {} : { system }),
      ...(tools.length === 0 ? {} : { tools }),
    });
    return merged(vendor.body(options.model, parts), options.body ?? {});
  };
  return {
    wire: vendor.wire,
    form,
    provider: options.provider ?? vendor.provider,
    name: options.model,
    send: "client" in options ? throughClient(vendor, options, body) : overFetch(vendor, options, body),
  };
}

type Send = Model["send"];

function throughClient<Client>(
  { ask }: Vendor<Client>,
  { client, model }: ClientModelOptions<Client>,
  body: (request: ModelRequest) => Body,
): Send {
  return async (request) => {
    try {
      request.signal.throwIfAborted();
      return await ask(client, body(request), request.signal, model);
    } catch (error) {
      request.signal.throwIfAborted();
      throw modelErrorOf(error);
    }
  };
}

function overFetch<Client>(
  vendor: Vendor<Client>,
  options: HttpModelOptions,
  body: (request: ModelRequest) => Body,
): Send {
  const { retries = RETRIES, timeoutMs = TIMEOUT } = options;
  if (!(retries >= 0)) throw new TypeError(`retries must be 0 or more, not ${String(retries)}`);
  if (!(timeoutMs >= 0)) throw new TypeError(`timeoutMs must be 0 or more, not ${String(timeoutMs)}`);
  const url = addressOf(options.baseURL ?? vendor.baseURL, vendor.path(options.model));
  const own = options.headers ?? {};
  const hidden = Object.entries(own).flatMap(([name, value]) => (SECRET_HEADER.test(name) ? secretsIn(value) : []));
  return async (request) => {
    const { apiKey } = options;
    const key = typeof apiKey === "function" ? await apiKey() : apiKey;
    return post({
      url,
      headers: { "content-type": "application/json", ...(key === undefined ? {} : vendor.headers(key)), ...own },
      body: JSON.stringify(body(request)),
      secrets: [...secretsIn(key ?? ""), ...hidden],
      signal: request.signal,
      fetch: options.fetch,
      retries,
      timeoutMs,
      wire: vendor.wire,
    });
  };
}

/** A header's value, and what stands behind its scheme: `Bearer …`. */
function secretsIn(value: string): string[] {
  return [value, ...value.split(/\s+/)].filter((part) => part.length > 6);
}

/** @throws TypeError where it is no address that a request can go to. */
function addressOf(base: string | undefined, path: string): URL {
  if (base === undefined) throw new TypeError("This model has no address of its own: give `baseURL`.");
  // The address itself is not repeated: it may hold a key.
  if (!URL.canParse(base)) throw new TypeError("`baseURL` is no address: it begins with http:// or https://.");
  const url = new URL(base);
  if (url.username !== "" || url.password !== "")
    throw new TypeError("`baseURL` holds a name or a password: give them in `headers`.");
  const [way = "", query] = path.split("?", 2);
  url.pathname = url.pathname.replace(/\/+$/, "") + way;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url;
}

/** Two bodies as one; see `ModelOptions.body`. */
function merged(ours: Body, theirs: Body): Body {
  const result: Record<string, unknown> = { ...ours };
  for (const [name, value] of Object.entries(theirs)) {
    const own = result[name];
    if (name === "tools" && isList(own) && isList(value)) result[name] = [...own, ...value];
    else result[name] = isRecord(own) && isRecord(value) ? { ...own, ...value } : value;
  }
  return result;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
