// Bodies that stand in the lines of a log, one JSON object a line with the body in one of its fields. Owns the cutting into
// lines and where in an object the body, the model and the server are looked for.

/** What was found in a line of a log. */
export interface LoggedBody {
  /** From 1. */
  readonly line: number;
  /** The body: text as it came over the wire, or the values of its frames. */
  readonly body: string | readonly object[];
  readonly model: string | null;
  readonly server: string | null;
}

/** A line that holds no body, and why. */
export interface BadLine {
  readonly line: number;
  readonly problem: string;
}

/** Where in a logged object things stand, as keys joined by dots; absent: the usual places. */
export interface LogFields {
  readonly body?: string | undefined;
  readonly model?: string | undefined;
  readonly server?: string | undefined;
}

const BODY_PLACES = [
  "response.body",
  "response_body",
  "responseBody",
  "raw_response",
  "response",
  "body",
  "stream",
  "raw",
  "output",
];
const MODEL_PLACES = ["model", "request.model", "request.body.model", "response.model"];
const SERVER_PLACES = ["server", "host", "base_url", "url", "request.url", "provider"];

/** Characters of a line: a body of the default limits fits, escaped. */
const MAX_LINE = 128 * 1024 * 1024;

/**
 * The lines of a text that comes in pieces, without their ends; undefined for one that is too long to be held.
 *
 * @param chunks UTF-8.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined, void, undefined> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      parts.push(text.slice(from, end));
      yield length + end - from > MAX_LINE ? undefined : parts.join("");
      parts = [];
      length = 0;
      from = end + 1;
    }
    length += text.length - from;
    if (length <= MAX_LINE) parts.push(text.slice(from));
    else parts = [];
  }
  if (length > 0) yield length > MAX_LINE ? undefined : parts.join("");
}

/**
 * What a line of a log holds.
 *
 * @returns Undefined for an empty line.
 */
export function loggedBody(
  text: string | undefined,
  line: number,
  fields: LogFields,
): LoggedBody | BadLine | undefined {
  if (text === undefined) return { line, problem: "the line is too long" };
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, problem: "the line is not JSON" };
  }
  const body = bodyIn(value, fields);
  if (body === undefined) {
    const where = fields.body === undefined ? "none of the usual fields" : `no field "${fields.body}"`;
    return { line, problem: `the line has ${where} with a body` };
  }
  const model = nameIn(value, fields.model === undefined ? MODEL_PLACES : [fields.model]);
  const server = nameIn(value, fields.server === undefined ? SERVER_PLACES : [fields.server]);
  return { line, body, model, server: server === null ? null : hostOf(server) };
}

/** Lines of a file that are looked at before it is taken for no log. */
const MAX_LOOKED = 64;

/**
 * Whether a file is a log with bodies in it, and no frames of a wire. Its first line tells, or a later one where the log
 * has lines of other kinds between: there only a whole stream does, for a piece of a model's text may look like JSON.
 *
 * @param lines As {@link linesOf} gives them.
 */
export async function isLog(lines: AsyncIterable<string | undefined>): Promise<boolean> {
  let looked = 0;
  for await (const line of lines) {
    if (line?.trim() === "") continue;
    if (line !== undefined && isLogLine(line, looked === 0)) return true;
    if (++looked === MAX_LOOKED) return false;
  }
  return false;
}

function isLogLine(text: string, isFirst: boolean): boolean {
  try {
    const body = bodyIn(JSON.parse(text) as unknown, {});
    return body !== undefined && (isFirst || (typeof body === "string" && looksLikeEvents(body)));
  } catch {
    return false;
  }
}

function bodyIn(value: unknown, fields: LogFields): LoggedBody["body"] | undefined {
  if (fields.body !== undefined) return bodyOf(at(value, fields.body), true);
  for (const place of BODY_PLACES) {
    const body = bodyOf(at(value, place), false);
    if (body !== undefined) return body;
  }
  return undefined;
}

/** A field as a body. Where nobody named the field, a text must look like one, and an object may be anything else. */
function bodyOf(value: unknown, named: boolean): LoggedBody["body"] | undefined {
  if (typeof value === "string") return named || looksLikeBody(value) ? value : undefined;
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    if (items.every((item) => typeof item === "string")) return bodyOf(items.join(""), named);
    return named && items.every((item) => typeof item === "object" && item !== null) ? items : undefined;
  }
  return named && typeof value === "object" && value !== null ? JSON.stringify(value) : undefined;
}

/** SSE, or JSON that is closed: one piece of a model's text may begin like either. */
function looksLikeBody(text: string): boolean {
  return looksLikeEvents(text) || /^\s*[{[][^]*[}\]]\s*$/.test(text);
}

/** A whole line of SSE at its beginning. */
function looksLikeEvents(text: string): boolean {
  return /^\s*(?:(?:data|event|id|retry):|:)[^\n]*\n/.test(text);
}

function nameIn(value: unknown, places: readonly string[]): string | null {
  for (const place of places) {
    const name = at(value, place);
    if (typeof name === "string" && name !== "") return name;
  }
  return null;
}

/** Of an address its host alone: a path or query may hold a secret. */
function hostOf(server: string): string {
  return URL.canParse(server) && server.includes("://") ? new URL(server).host : server;
}

function at(value: unknown, place: string): unknown {
  let here = value;
  for (const key of place.split(".")) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[key];
  }
  return here;
}
