// The hash by which a ledger tells a call from another one in its place. Owns the canonical text: the same arguments give
// the same hash in every runtime, whatever their spacing and the order of their keys.

import { exactNumber } from "../json/exact-number.ts";
import { parseJson } from "../json/parse.ts";

/**
 * The SHA-256 of a tool's name and arguments.
 *
 * @param tool The tool's name.
 * @param text The argument text.
 * @param kind Whether that is JSON, or free text.
 * @returns 64 hexadecimal digits.
 * @throws TypeError (by rejecting) where the runtime has no `crypto.subtle`: a web page that is not served over https.
 * @example
 * (await argumentsHash("pay", '{"a":1,"b":2}')) === (await argumentsHash("pay", '{ "b": 2, "a": 1 }')); // true
 */
export async function argumentsHash(tool: string, text: string, kind: "json" | "text" = "json"): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined)
    throw new TypeError("the harness needs crypto.subtle, which a web page has only over https or on localhost");
  const said = `${kind}\n${JSON.stringify(tool)}\n${kind === "json" ? canonical(text) : text}`;
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(said));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Digits that a double may not hold: only such texts need the slower reading. */
const LONG_NUMBER = /\d{16}/;

/** A number by its digits, told from an object that the model wrote. */
class Digits {
  readonly text: string;
  constructor(source: string) {
    const exact = exactNumber(source);
    this.text = typeof exact === "object" ? exact.source : String(exact);
  }
}

/** JSON without white space, keys in the order of their UTF-16 units. A text that is no JSON stands for itself. */
function canonical(text: string): string {
  const parsed = parseJson(text, LONG_NUMBER.test(text) ? { number: (source) => new Digits(source) } : {});
  return parsed.ok ? write(parsed.value) : text;
}

/** Text that stands as it is, in the list of what is still to be written. */
class Literal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Goes down without recursion: arguments may be ten thousand levels deep. */
function write(root: unknown): string {
  let text = "";
  const rest: unknown[] = [root];
  while (rest.length > 0) {
    const next = rest.pop();
    if (next instanceof Literal || next instanceof Digits) text += next.text;
    else if (typeof next !== "object" || next === null)
      text += typeof next === "number" ? String(next) : JSON.stringify(next);
    else for (const piece of pieces(next).toReversed()) rest.push(piece);
  }
  return text;
}

function pieces(value: object): unknown[] {
  const list = Array.isArray(value);
  const found: unknown[] = [new Literal(list ? "[" : "{")];
  const keys = list ? [...value.keys()] : Object.keys(value).toSorted();
  for (const [at, key] of keys.entries()) {
    const name = list ? "" : `${JSON.stringify(key)}:`;
    found.push(new Literal((at === 0 ? "" : ",") + name), Reflect.get(value, key));
  }
  found.push(new Literal(list ? "]" : "}"));
  return found;
}
