// Secrets out of what is kept. Owns what counts as one: fields of credentials by their names, in headers, queries and JSON
// bodies; keys by the shapes that vendors give them; and every value that was one anywhere in the request, wherever it stands
// again.

import { pairs, type RawHeaders } from "../proxy/headers.ts";

/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** Names of fields whose value is a secret. */
const HEADERS =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|.*(?:api[-_]?key|auth[-_]?token|access[-_]?token|security[-_]?token|secret|password|credential|signature).*)$/i;
const QUERY =
  /^(?:key|sig|signature|token|code|auth|.*(?:api[-_]?key|access[-_]?token|security[-_]?token|secret|password|credential|signature).*)$/i;
const BODY =
  /^(?:authorization|cookie|token|key|.*(?:api[-_]?key|auth(?:orization)?[-_]?token|access[-_]?token|refresh[-_]?token|bearer[-_]?token|client[-_]?secret|secret[-_]?key|password|passwd|credentials?|private[-_]?key)|secret)$/i;

/** Shapes of keys: OpenAI and Anthropic, Google, AWS, GitHub, Hugging Face, Groq, xAI, JSON web tokens. */
const SHAPES =
  /\b(?:sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|AKIA[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})/g;

/** Shorter values may be words that stand in any text. */
const MIN_SECRET = 8;
/** Levels of a body that are looked into; what lies deeper is left out. */
const MAX_DEPTH = 200;

/** The header fields without secrets. */
export function redactedHeaders(raw: RawHeaders): readonly (readonly [string, string])[] {
  return [...pairs(raw)].map(([name, value]) => [
    name,
    HEADERS.test(name) ? REDACTED : value.replaceAll(SHAPES, REDACTED),
  ]);
}

/**
 * The request target without secrets.
 *
 * @param secrets Values that are secrets elsewhere in the request: they may stand here under a name that says nothing.
 */
export function redactedUrl(url: string, secrets: readonly string[] = []): string {
  const mark = url.indexOf("?");
  if (mark < 0) return redactedText(url, secrets);
  const query = url.slice(mark + 1).split("&");
  const kept = query.map((each) => {
    const [name = ""] = each.split("=");
    return QUERY.test(unescaped(name)) && each.includes("=") ? `${name}=${REDACTED}` : redactedText(each, secrets);
  });
  return `${redactedText(url.slice(0, mark), secrets)}?${kept.join("&")}`;
}

/** A JSON value without secrets. */
export function redactedValue(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === "string") return redactedText(value, secrets);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((each) => redactedValue(each, secrets, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      isSecret(name, each) ? REDACTED : redactedValue(each, secrets, depth + 1),
    ]),
  );
}

/** A credential: a text, or a list of some. */
function isSecret(name: string, value: unknown): boolean {
  const texts = Array.isArray(value) ? (value as unknown[]) : [value];
  return texts.length > 0 && texts.every((each) => typeof each === "string") && BODY.test(name);
}

/** The values that are secrets in a body, beyond doubt: they may come again in the answer. */
export function secretsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
    if (typeof each !== "string") return secretsIn(each, depth + 1);
    // A bare `key` or `token` may hold any word of the answer.
    return BODY.test(name) && !/^(?:key|token|cookie)$/i.test(name) ? piecesOf(each) : [];
  });
}

/** "Bearer …", "a=…; b=…": the value, and each piece of it. */
function piecesOf(value: string): readonly string[] {
  return [value, ...value.split(/[\s;,=]+/)].filter((piece) => piece.length >= MIN_SECRET);
}

/** A text without secrets. */
export function redactedText(text: string, secrets: readonly string[]): string {
  let out = text.replaceAll(SHAPES, REDACTED);
  for (const secret of secrets) out = out.replaceAll(secret, REDACTED);
  return out;
}

/** The values that are secrets in a request's head: they may come again in a body. */
export function secretsOf(raw: RawHeaders, url: string): readonly string[] {
  const found = new Set<string>();
  for (const [name, value] of pairs(raw)) {
    if (!HEADERS.test(name)) continue;
    for (const piece of piecesOf(value)) found.add(piece);
  }
  const query = new URLSearchParams(url.slice(Math.max(0, url.indexOf("?"))));
  for (const [name, value] of query) if (QUERY.test(name) && value.length >= MIN_SECRET) found.add(value);
  return longestFirst(found);
}

/** A piece of a secret must not break it. */
export function longestFirst(secrets: Iterable<string>): readonly string[] {
  return [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Covers known secrets in bytes that come in pieces, each by as many stars, so that offsets stay. A secret may lie across
 * pieces: the last bytes are held back.
 */
export class Cover {
  readonly #secrets: readonly Buffer[];
  readonly #tail: number;
  #held: Buffer = Buffer.alloc(0);

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.map((secret) => Buffer.from(secret));
    this.#tail = Math.max(0, ...this.#secrets.map(({ length }) => length - 1));
  }

  /** The next piece; gives what is sure. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#tail === 0) return chunk;
    const bytes = Buffer.concat([this.#held, chunk]);
    for (const secret of this.#secrets)
      for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at))
        bytes.fill("*", at, at + secret.length);
    const sure = Math.max(0, bytes.length - this.#tail);
    this.#held = bytes.subarray(sure);
    return bytes.subarray(0, sure);
  }

  /** What was held back. */
  end(): Uint8Array {
    return this.#held;
  }
}
