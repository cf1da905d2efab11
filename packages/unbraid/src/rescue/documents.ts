// Calls as JSON documents that name the tool and hold its arguments: one document, a list, or several with a sign between
// them. Owns the walk through such a document; its arguments go out byte for byte as they come.

import type { CallOut, DocumentForm, ReadingContext, Verdict } from "./form.ts";
import { code, CUT, type Input, literal, NO, type Reading, skipSpace, space } from "./input.ts";
import { readJson, spill } from "./named.ts";
import { MAX_NAME } from "./pattern.ts";

/** What the keys of a document mean. */
const KEYS: Readonly<Record<string, "name" | "arguments" | "id" | "other">> = {
  name: "name",
  tool_name: "name",
  arguments: "arguments",
  parameters: "arguments",
  id: "id",
  tool_call_id: "id",
  type: "other",
  index: "other",
};
const STRICT_KEYS = new Set(["name", "arguments", "parameters"]);

/** Arguments that stand before the name are held until it comes; more than this is no call. */
const MAX_AHEAD = 64 * 1024;

/** One document while it is read. */
interface Document {
  readonly form: DocumentForm;
  readonly isElement: boolean;
  name: string | undefined;
  id: string | undefined;
  hasArguments: boolean;
  /** The arguments, where they came before the name. */
  ahead: string;
  opened: boolean;
}

/** See the file's head. */
export function* readDocuments(context: ReadingContext, form: DocumentForm): Reading<Verdict> {
  const { input } = context;
  const start = yield* space(input, 0);
  const first = start < 0 ? NO : yield* code(input, start);
  if (first === CUT) return "cut";
  const isList = first === 0x5b;
  if (!isList && first !== 0x7b) return "no";
  input.at += start + (isList ? 1 : 0);
  for (let count = 0; ; count++) {
    const gap = isList ? yield* space(input, 0) : 0;
    const unit = gap < 0 ? NO : yield* code(input, gap);
    if (unit === CUT) return "cut";
    if (unit !== 0x7b) return count > 0 ? "done" : "no";
    input.at += gap + 1;
    const verdict = yield* readDocument(context, form, isList);
    if (verdict !== "done") return verdict;
    const goesOn = isList ? yield* nextElement(input) : yield* nextDocument(input, form);
    if (!goesOn) return "done";
  }
}

/** Goes to the next element of a list, if there is one; consumes the end of the list. */
function* nextElement(input: Input): Reading<boolean> {
  yield* skipSpace(input);
  const unit = yield* code(input, 0);
  if (unit === 0x2c || unit === 0x5d) input.at++;
  return unit === 0x2c;
}

/** Goes to the next of several documents, if there is one: `{…}; {…}`. */
function* nextDocument(input: Input, form: DocumentForm): Reading<boolean> {
  if (form.separator === undefined) return false;
  const before = yield* space(input, 0);
  const sign = before < 0 ? NO : yield* literal(input, form.separator, before);
  const next = sign < 0 ? NO : yield* space(input, sign);
  if (next < 0 || (yield* code(input, next)) !== 0x7b) return false;
  input.at += next;
  return true;
}

/** Reads a document from behind its first brace. */
function* readDocument(context: ReadingContext, form: DocumentForm, isElement: boolean): Reading<Verdict> {
  const { input, calls } = context;
  const document: Document = {
    form,
    isElement,
    name: undefined,
    id: undefined,
    hasArguments: false,
    ahead: "",
    opened: false,
  };
  for (let first = true; ; first = false) {
    let unit = yield* nextSign(input, document);
    if (unit === 0x7d) {
      input.at++;
      return endDocument(calls, document);
    }
    if (!first && unit === 0x2c) {
      input.at++;
      unit = yield* nextSign(input, document);
    } else if (!first && unit !== CUT) return giveUp(calls, document);
    if (unit === CUT) return cutDocument(calls, document);
    const key = yield* readString(input);
    if (key === undefined) return giveUp(calls, document);
    const sign = key === CUT ? CUT : yield* nextSign(input, document);
    if (key === CUT || sign === CUT) return cutDocument(calls, document);
    if (sign !== 0x3a) return giveUp(calls, document);
    input.at++;
    const verdict = yield* readMember(context, document, key);
    if (verdict !== undefined) return verdict;
  }
}

/** The next sign behind white space, which is consumed; `NO` where there is too much of it for an undecided document. */
function* nextSign(input: Input, document: Document): Reading<number> {
  const at = yield* space(input, 0, document.opened ? Number.MAX_SAFE_INTEGER : undefined);
  if (at === NO) return NO;
  input.at += at;
  return yield* code(input, 0);
}

/** Reads the value of a key; undefined to go on. */
function* readMember({ input, calls }: ReadingContext, document: Document, key: string): Reading<Verdict | undefined> {
  const strict = document.form.strict === true;
  const means = strict && !STRICT_KEYS.has(key) ? undefined : KEYS[key];
  const unit = yield* nextSign(input, document);
  if (unit === CUT) return cutDocument(calls, document);
  if (means === "arguments" && !document.hasArguments) {
    // An object; where the name is known, also the object in a string, or null.
    const isLoose = !strict && document.name !== undefined && (unit === 0x22 || unit === 0x6e);
    if (unit !== 0x7b && !isLoose) return giveUp(calls, document);
    document.hasArguments = true;
    return yield* readValue(input, calls, document);
  }
  if (means === "name" && document.name === undefined) return yield* readName(input, calls, document);
  if (document.opened && !strict && means !== "id") {
    const outcome = yield* readJson(input, () => {});
    return outcome === "whole" ? undefined : outcome === "cut" ? cutDocument(calls, document) : giveUp(calls, document);
  }
  const value = means === undefined ? undefined : yield* readShort(input);
  if (value === CUT) return cutDocument(calls, document);
  if (value === undefined) return giveUp(calls, document);
  if (means === "id") document.id ??= value;
  return undefined;
}

function* readName(input: Input, calls: CallOut, document: Document): Reading<Verdict | undefined> {
  const name = yield* readString(input, calls);
  if (name === CUT) return "cut";
  if (name === undefined || name === "") return giveUp(calls, document);
  document.name = name;
  // An undeclared name is told at once: everything behind it is text.
  if (calls.tool(name) === undefined || document.hasArguments) open(calls, document);
  if (document.ahead !== "") calls.append(document.ahead);
  return undefined;
}

/** Reads the arguments. */
function* readValue(input: Input, calls: CallOut, document: Document): Reading<Verdict | undefined> {
  if (document.name !== undefined && !document.opened) open(calls, document);
  const held = !document.opened;
  const outcome = yield* readJson(input, (piece) => {
    if (!held) calls.append(piece);
    else if (document.ahead.length <= MAX_AHEAD) document.ahead += piece;
  });
  if (outcome === "whole") return document.ahead.length > MAX_AHEAD ? "text" : undefined;
  if (outcome === "cut") return cutDocument(calls, document);
  const { form, isElement } = document;
  if (held || calls.mute || form.last === true) return "text";
  const ended = yield* spill(input, form.closers, (text) => calls.append(text), isElement ? "}]" : "}");
  if (!ended) return cutDocument(calls, document);
  calls.close(document.id);
  return "done";
}

function open(calls: CallOut, document: Document): void {
  document.opened = true;
  calls.open(calls.tool(document.name ?? ""), document.id);
}

function endDocument(calls: CallOut, document: Document): Verdict {
  if (document.name === undefined) return "text";
  if (!document.hasArguments) {
    if (document.form.strict === true) return "text";
    if (!document.opened) open(calls, document);
    calls.append("{}");
  }
  calls.close(document.id);
  return "done";
}

/** The text ended inside the document. */
function cutDocument(calls: CallOut, document: Document): Verdict {
  const known = document.name !== undefined && (document.form.strict !== true || document.hasArguments);
  if (known && !document.opened) open(calls, document);
  if (document.opened) calls.cut();
  return "cut";
}

/** The document is none of a call; one that is open already is over here, and not whole. */
function giveUp(calls: CallOut, document: Document): Verdict {
  if (!document.opened || calls.mute) return "text";
  calls.cut();
  return "done";
}

/**
 * Reads a JSON string of a name's length: its value, `CUT`, or undefined where there is none. With `calls`, a cut one that
 * cannot become a declared tool's name is none.
 */
function* readString(input: Input, calls?: CallOut): Reading<string | undefined | typeof CUT> {
  if ((yield* code(input, 0)) !== 0x22) return undefined;
  let at = 1;
  for (;;) {
    const unit = yield* code(input, at);
    if (unit === CUT) {
      if (calls?.mayBecomeTool(input.text.slice(input.at + 1, input.at + at)) === false) return undefined;
      return CUT;
    }
    if (unit === 0x22) break;
    at += unit === 0x5c ? 2 : 1;
    if (at > MAX_NAME) return undefined;
  }
  try {
    const value = JSON.parse(input.text.slice(input.at, input.at + at + 1)) as string;
    input.at += at + 1;
    return value;
  } catch {
    return undefined;
  }
}

/** Reads a string of a name's length, or a number or word, as text. */
function* readShort(input: Input): Reading<string | undefined | typeof CUT> {
  if ((yield* code(input, 0)) === 0x22) return yield* readString(input);
  let at = 0;
  for (;;) {
    const unit = yield* code(input, at);
    if (unit === CUT) return CUT;
    if (!/[\w.+-]/.test(String.fromCharCode(unit))) break;
    if (++at > MAX_NAME) return undefined;
  }
  const text = input.text.slice(input.at, input.at + at);
  input.at += at;
  return at === 0 ? undefined : text;
}
