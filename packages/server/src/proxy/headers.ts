// Which header fields are for the next hop alone. Owns the lists (RFC 9110, 7.6.1) and the filtering; order, spelling and
// repetition of what passes stay as they came.

/** A list of fields as they stand on the wire: name, value, name, value… */
export type RawHeaders = readonly string[];

/** Fields between two neighbours. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Fields of a request that the proxy says itself: where it goes, how long it is, and that it waits for no permission. */
const OWN_OF_REQUEST: readonly string[] = ["host", "content-length", "expect"];

/** Fields of a response that speak of the bytes as they were before mending. */
export const OF_THE_BYTES: readonly string[] = [
  "content-length",
  "content-encoding",
  "content-md5",
  "content-digest",
  "repr-digest",
  "digest",
  "etag",
  "accept-ranges",
  "content-range",
];

/** Fields that a `Connection` field may not take away: without them the message is another one. */
const NEVER_NAMED: ReadonlySet<string> = new Set(["host", "content-length", "content-type", "content-encoding"]);

/**
 * The fields that go on.
 *
 * @param raw The fields as they came.
 * @param drop Further names to leave out, in lower case.
 */
export function passedOn(raw: RawHeaders, drop: readonly string[] = []): string[] {
  const named = new Set<string>();
  for (const [name, value] of pairs(raw)) {
    if (name.toLowerCase() !== "connection") continue;
    for (const each of value.split(",")) named.add(each.trim().toLowerCase());
  }
  const out: string[] = [];
  for (const [name, value] of pairs(raw)) {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || drop.includes(lower)) continue;
    if (named.has(lower) && !NEVER_NAMED.has(lower)) continue;
    out.push(name, value);
  }
  return out;
}

/** The fields of a request that go to the upstream. */
export function requestHeaders(raw: RawHeaders, host: string, length: number | undefined): string[] {
  const out = ["Host", host, ...passedOn(raw, OWN_OF_REQUEST)];
  if (length !== undefined) out.push("Content-Length", String(length));
  return out;
}

/** A list of fields with one set anew. */
export function withHeader(raw: RawHeaders, name: string, value: string): string[] {
  return [...passedOn(raw, [name.toLowerCase()]), name, value];
}

/** The value of a field; the first, where there are several. */
export function headerOf(raw: RawHeaders, name: string): string | undefined {
  for (const [each, value] of pairs(raw)) if (each.toLowerCase() === name) return value;
  return undefined;
}

/** Name and value of each field. */
export function* pairs(raw: RawHeaders): Generator<readonly [name: string, value: string], void> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? "", raw[at + 1] ?? ""];
}
