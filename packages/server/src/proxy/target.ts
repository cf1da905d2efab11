// Where a request goes: one of the fixed upstreams, or nowhere. Owns the refusal of everything that would make the proxy an
// open one, and the joining of paths. A target is never taken from what a client says but for the path below the upstream's.

import type { ProtocolName } from "unbraid";
import type { RequestWire } from "unbraid/translate";

/** One upstream, as a user configures it. */
export interface UpstreamOptions {
  /** Its base URL, `https://api.example.com/v1`: everything a client asks for lies below it. */
  readonly url: string;
  /** A name for logs and metrics; the URL's host by default. */
  readonly name?: string;
  /** Requests whose path lies below this go there, without it. Default `/`. */
  readonly prefix?: string;
  /** Only requests with this `Host` go there (a name, without a port). */
  readonly host?: string;
  /** The wire that it speaks, where neither the path nor the first bytes tell. */
  readonly protocol?: ProtocolName;
  /** The wire that clients speak, where it is another one. The server's is `protocol`, or OpenAI Chat. */
  readonly as?: ProtocolName;
  /** The model to ask, whatever clients name; with `as`. */
  readonly model?: string;
  /** Recovers calls that the server left in the text. */
  readonly rescue?: boolean;
  /** Sends a call only when it is whole. */
  readonly hold?: boolean;
  /** Puts in the one reading of a malformed call; holds. */
  readonly repair?: boolean;
}

/** An upstream, ready to be asked. */
export interface Upstream extends UpstreamOptions {
  readonly name: string;
  readonly base: URL;
  readonly prefix: string;
  /** Clients speak the first wire, the server the second. */
  readonly between: { readonly client: RequestWire; readonly server: RequestWire } | undefined;
}

const REQUEST_WIRES: readonly string[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

/** A refusal: the status, and why. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Where a request goes. */
export interface Target {
  readonly upstream: Upstream;
  /** Path and query at the upstream. */
  readonly path: string;
  /** The path that the client asked for, below the prefix, without the query. */
  readonly asked: string;
}

/**
 * Checks an upstream.
 *
 * @throws TypeError where its URL or prefix is none.
 */
export function upstreamOf(options: UpstreamOptions): Upstream {
  const base = URL.parse(options.url);
  if (base === null || (base.protocol !== "http:" && base.protocol !== "https:"))
    throw new TypeError(`the upstream ${JSON.stringify(options.url)} is no http or https URL`);
  if (base.search !== "" || base.hash !== "")
    throw new TypeError(`the upstream ${JSON.stringify(options.url)} must have no query and no fragment`);
  if (base.username !== "" || base.password !== "")
    throw new TypeError("the upstream's URL must hold no user and no password; clients send their own keys");
  const prefix = (options.prefix ?? "/").replace(/\/+$/, "");
  if (prefix !== "" && !prefix.startsWith("/"))
    throw new TypeError(`the prefix ${JSON.stringify(options.prefix)} must begin with a slash`);
  return { ...options, base, prefix, name: options.name ?? base.host, between: betweenOf(options) };
}

function betweenOf({ as: client, protocol: server = "openai-chat" }: UpstreamOptions): Upstream["between"] {
  if (client === undefined || client === server) return undefined;
  for (const wire of [client, server])
    if (!REQUEST_WIRES.includes(wire))
      throw new TypeError(`requests cannot be translated for ${wire}; they can for ${REQUEST_WIRES.join(", ")}`);
  return { client: client as RequestWire, server: server as RequestWire };
}

/** A dot segment in any spelling that some server would resolve, with the parameters of a segment behind it too. */
const DOTS = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e|%c0%ae){1,2}(?:[/\\;]|%2f|%5c|%3b|$)/i;

/**
 * Finds the target of a request.
 *
 * @param method The method.
 * @param url The request target as it stands on the wire.
 * @param host The `Host` field.
 * @param upstreams All of them; the longest prefix wins, a named host before none.
 */
export function targetOf(
  method: string,
  url: string,
  host: string | undefined,
  upstreams: readonly Upstream[],
): Target | Refusal {
  if (method === "CONNECT" || method === "TRACE")
    return {
      status: 405,
      code: "method_not_allowed",
      message: `${method} is not for this proxy: its upstreams are fixed.`,
    };
  // Absolute-form (http://…), authority-form and "*" name a target of their own.
  if (!url.startsWith("/") || url.startsWith("//"))
    return {
      status: 400,
      code: "bad_target",
      message: "The request target must be a path: this proxy has fixed upstreams and forwards nowhere else.",
    };
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  if (DOTS.test(path) || /[\0-\x20\x7f#]/.test(url))
    return {
      status: 400,
      code: "bad_path",
      message: "The path holds dot segments or characters that no path may hold.",
    };
  const name = host?.replace(/:\d+$/, "").toLowerCase();
  const [upstream] = upstreams
    .filter((each) => each.host === undefined || each.host.toLowerCase() === name)
    .filter(({ prefix }) => prefix === "" || path === prefix || path.startsWith(`${prefix}/`))
    .toSorted(
      (a, b) => Number(b.host !== undefined) - Number(a.host !== undefined) || b.prefix.length - a.prefix.length,
    );
  if (upstream === undefined)
    return { status: 404, code: "no_upstream", message: `No upstream is configured for ${path}.` };
  const asked = path.slice(upstream.prefix.length);
  const query = mark < 0 ? "" : url.slice(mark);
  return { upstream, asked, path: `${joined(upstream.base.pathname, asked)}${query}` };
}

/** Where another vendor's request goes at this upstream. */
export function pathAt({ base }: Upstream, path: string): string {
  return joined(base.pathname, path);
}

/**
 * The base path and what lies below it. A client that was given the proxy's root for a vendor's `…/v1` says `/v1/…` itself:
 * the part that both have is written once.
 */
function joined(base: string, asked: string): string {
  const root = base.replace(/\/+$/, "");
  const last = root.slice(root.lastIndexOf("/"));
  const below =
    /^\/v\d+(?:beta|alpha)?\d*$/.test(last) && (asked === last || asked.startsWith(`${last}/`))
      ? asked.slice(last.length)
      : asked;
  const path = `${root}${below}`;
  return path === "" ? "/" : path;
}

/** Whether a target is a refusal. */
export function isRefusal(target: Target | Refusal): target is Refusal {
  return "status" in target;
}
