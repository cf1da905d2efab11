// Calls whose arguments stand between tags: a value is bare text, and the tool's schema says what it is. Owns that
// reading and the JSON that it is written as. A value may hold the very tag that ends it: only with markup behind it the
// tag counts.

import type { CallOut, KnownTool, ReadingContext, TaggedForm, Verdict } from "./form.ts";
import { code, CUT, type Input, literal, more, NO, oneOf, type Reading, skipSpace, space } from "./input.ts";
import { type Out, StringWriter } from "./json-writer.ts";
import { readArguments } from "./named.ts";
import { match, nothingFound, type Step, unescapeAttribute } from "./pattern.ts";
import { ARRAY, isJson, jsonOf, NULL, OBJECT, STRING, type ToolSchema, type Types } from "./schema.ts";

/** Names of a lone parameter that holds all arguments as one JSON object. */
const WRAPPERS = new Set(["arguments", "input", "parameters"]);
/** Longest text that is looked at to tell a string from null. */
const MAX_NULL = 8;
/** Levels of tags inside tags; what lies deeper is text. */
const MAX_NESTING = 24;

/** See the file's head. */
export function* readTagged(context: ReadingContext, form: TaggedForm): Reading<Verdict> {
  const { input, calls } = context;
  const found = nothingFound();
  const head = yield* match(input, form.head, found);
  if (head === NO) return "no";
  if (!found.nameEnded) return calls.mayBecomeTool(found.name) ? "cut" : "no";
  const tool = calls.tool(found.name);
  // <function=get_weather>\n<parameter=
  //                         ^ only markup here shows that this is no prose
  const gap = head === CUT ? CUT : yield* space(input, 0);
  if (gap === NO) return "no";
  const starts = firstLiterals(form.parameter);
  const next = gap === CUT ? CUT : yield* oneOf(input, [...form.callEnd, ...starts], gap);
  const isJsonBody = next === NO && form.mayBeJson === true && (yield* code(input, gap)) === 0x7b;
  if (next === NO && !isJsonBody) return "no";
  calls.open(tool);
  if (next === CUT) {
    calls.cut();
    return "cut";
  }
  input.at += gap;
  if (isJsonBody) return yield* readArguments(input, calls, [...form.callEnd, ...form.closers]);
  return yield* new TaggedCall(input, calls, form, tool).read();
}

/** The literals that steps may begin with. */
function firstLiterals(steps: readonly Step[]): readonly string[] {
  const [first] = steps;
  if (typeof first === "string") return [first];
  return typeof first === "object" && "one" in first ? first.one : [];
}

/** One open call, from its first argument on. */
class TaggedCall {
  readonly #input: Input;
  readonly #calls: CallOut;
  readonly #form: TaggedForm;
  readonly #schema: ToolSchema | undefined;
  /** What stands behind the tag that ends a value. */
  readonly #follows: readonly string[];
  readonly #out: Out;
  #count = 0;

  constructor(input: Input, calls: CallOut, form: TaggedForm, tool: KnownTool | undefined) {
    this.#input = input;
    this.#calls = calls;
    this.#form = form;
    this.#schema = tool?.schema;
    this.#follows = [...firstLiterals(form.parameter), ...form.callEnd, ...form.closers, ...form.open];
    this.#out = (json) => calls.append(json);
  }

  *read(): Reading<Verdict> {
    const input = this.#input;
    const { callEnd, closers, open, parameter } = this.#form;
    for (;;) {
      yield* skipSpace(input);
      const end = yield* oneOf(input, callEnd, 0);
      if (end >= 0) {
        input.at += end;
        return this.#close();
      }
      const found = nothingFound();
      const head = end === CUT ? CUT : yield* match(input, parameter, found);
      if (head === CUT) return this.#cut();
      if (head === NO || found.key.startsWith("/")) {
        // The end tag was forgotten before the next call or the end of the section.
        const next = yield* oneOf(input, [...open, ...closers], 0);
        return next >= 0 ? this.#close() : this.#cut("done");
      }
      const verdict = yield* this.#argument(unescapeAttribute(found.key), found.attributes);
      if (verdict !== undefined) return verdict;
    }
  }

  #close(): Verdict {
    this.#out(this.#count === 0 ? "{}" : "}");
    this.#calls.close();
    return "done";
  }

  #cut(verdict: Verdict = "cut"): Verdict {
    if (this.#count === 0) this.#out("{");
    this.#calls.cut();
    return verdict;
  }

  *#argument(key: string, attributes: Readonly<Record<string, string>>): Reading<Verdict | undefined> {
    const schema = this.#schema;
    const property = schema?.property(schema.root, key);
    const isString = (attributes["string"] ?? "") === "true" || attributes["type"] === "string";
    const isTyped = attributes["string"] === "false" || (attributes["type"] !== undefined && !isString);
    const types = isString ? STRING : (schema?.types(property) ?? 0);
    if (this.#count === 0 && property === undefined && !isString && WRAPPERS.has(key)) {
      const whole = yield* this.#wrapper(key, attributes);
      if (whole !== "value") return whole;
    } else {
      this.#out(`${this.#count++ === 0 ? "{" : ","}${JSON.stringify(key)}:`);
      const ended = yield* this.#value(key, property, types, isTyped);
      if (!ended) return this.#cut();
    }
    return undefined;
  }

  /** `<parameter name="arguments">{…}</parameter>`, alone in its call, holds all arguments. */
  *#wrapper(key: string, attributes: Readonly<Record<string, string>>): Reading<Verdict | undefined | "value"> {
    let text = "";
    const ended = yield* this.#raw(key, (piece) => (text += piece));
    const json = text.trim();
    if (ended && json.startsWith("{") && isJson(json)) {
      yield* skipSpace(this.#input);
      const end = yield* oneOf(this.#input, this.#form.callEnd, 0);
      if (end >= 0) {
        this.#input.at += end;
        this.#out(json);
        this.#calls.close();
        return "done";
      }
    }
    this.#out(`${this.#count++ === 0 ? "{" : ","}${JSON.stringify(key)}:`);
    this.#out(attributes["string"] === "false" && isJson(json) ? json : JSON.stringify(text));
    return ended ? "value" : this.#cut();
  }

  /** Reads a value and writes it; false where the text ended inside it. */
  *#value(key: string, schema: unknown, types: Types, isTyped: boolean): Reading<boolean> {
    const { nested } = this.#form;
    if (nested !== undefined) return yield* this.#nestedValue(key, nested, schema, types, 0);
    if (isTyped) {
      let text = "";
      const ended = yield* this.#raw(key, (piece) => (text += piece));
      if (ended) this.#out(isJson(text) ? text.trim() : jsonOf(text, types));
      return ended;
    }
    if (types === 0 || types === STRING) return yield* this.#string(key);
    if (types === (STRING | NULL)) return yield* this.#stringOrNull(key);
    let text = "";
    const ended = yield* this.#raw(key, (piece) => (text += piece));
    if (ended) this.#out(jsonOf(text, types));
    return ended;
  }

  *#string(key: string): Reading<boolean> {
    const writer = new StringWriter(this.#out);
    const ended = yield* this.#raw(key, (piece) => writer.write(piece));
    if (ended) writer.end();
    else writer.flush();
    return ended;
  }

  /** A string goes out as it comes, once it can no longer be the word for null. */
  *#stringOrNull(key: string): Reading<boolean> {
    const writer = new StringWriter(this.#out);
    let text: string | undefined = "";
    const ended = yield* this.#raw(key, (piece) => {
      if (text !== undefined) text += piece;
      if (text === undefined) writer.write(piece);
      else if (text.length > MAX_NULL) {
        writer.write(text);
        text = undefined;
      }
    });
    if (text !== undefined) {
      if (ended) this.#out(jsonOf(text, STRING | NULL));
    } else if (ended) writer.end();
    else writer.flush();
    return ended;
  }

  /** Gives out a value's bare text; false where the text ended before its end tag. */
  *#raw(key: string, out: Out): Reading<boolean> {
    const ends = this.#form.valueEnd.map((end) => end.replace("{key}", key));
    return yield* readRaw(this.#input, ends, this.#form.lineEnds, this.#follows, out);
  }

  /** A value that may be tags again: members of an object, or elements of an array named `item`. */
  *#nestedValue(key: string, token: string, schema: unknown, types: Types, depth: number): Reading<boolean> {
    const input = this.#input;
    const inner = yield* childAhead(input, token);
    const isContainer =
      inner === "child" || (inner === "end" && (types & (OBJECT | ARRAY)) !== 0 && (types & STRING) === 0);
    if (!isContainer || depth > MAX_NESTING) {
      if (types === 0 || types === STRING) return yield* this.#string(key);
      let text = "";
      const ended = yield* this.#raw(key, (piece) => (text += piece));
      if (ended) this.#out(jsonOf(text, types));
      return ended;
    }
    return yield* this.#container(key, token, schema, types, depth);
  }

  *#container(key: string, token: string, schema: unknown, types: Types, depth: number): Reading<boolean> {
    const input = this.#input;
    const end = `${token}</${key}>`;
    let isArray = saysArray(types);
    for (let count = 0; ; count++) {
      yield* skipSpace(input);
      const close = yield* literal(input, end, 0);
      if (close >= 0) {
        input.at += close;
        this.#out(count > 0 ? (isArray === true ? "]" : "}") : isArray === true ? "[]" : "{}");
        return true;
      }
      const found = nothingFound();
      const head = close === CUT ? CUT : yield* match(input, this.#form.parameter, found);
      if (head === CUT || head === NO || found.key.startsWith("/")) return false;
      isArray ??= found.key === "item";
      if (count === 0) this.#out(isArray ? "[" : "{");
      else this.#out(",");
      if (!isArray) this.#out(`${JSON.stringify(found.key)}:`);
      const of = this.#schema;
      const child = isArray ? of?.element(schema, count) : of?.property(schema, found.key);
      if (!(yield* this.#nestedValue(found.key, token, child, of?.types(child) ?? 0, depth + 1))) return false;
    }
  }
}

/** Whether the schema says array or object; undefined where it says neither or both. */
function saysArray(types: Types): boolean | undefined {
  const which = types & (OBJECT | ARRAY);
  return which === ARRAY ? true : which === OBJECT ? false : undefined;
}

/** What stands first in a value, behind white space: a child's tag, the value's own end, or text. */
function* childAhead(input: Input, token: string): Reading<"child" | "end" | "text"> {
  const gap = yield* space(input, 0);
  const behind = gap < 0 ? NO : yield* literal(input, token, gap);
  const tag = behind < 0 ? NO : yield* space(input, behind);
  const sign = tag < 0 ? NO : yield* literal(input, "<", tag);
  if (sign < 0) return "text";
  const slash = yield* code(input, sign);
  return slash === 0x2f || slash === CUT ? "end" : "child";
}

/**
 * Gives out bare text up to one of `ends` that has one of `follows` behind it.
 *
 * @returns False where the text ended before.
 */
function* readRaw(
  input: Input,
  ends: readonly string[],
  lineEnds: TaggedForm["lineEnds"],
  follows: readonly string[],
  out: Out,
): Reading<boolean> {
  const led = lineEnds !== "none" && (yield* skipLineEnd(input));
  const trims = lineEnds === "each" || (lineEnds === "both" && led);
  const first = new Set(ends.map((end) => end.charCodeAt(0)));
  /** A line end that may be the last one. */
  let waiting = "";
  const give = (text: string): void => {
    const all = waiting + text;
    waiting = trims ? lineEndOf(all) : "";
    if (all.length > waiting.length) out(all.slice(0, all.length - waiting.length));
  };
  while (yield* more(input)) {
    const { text, at } = input;
    let to = at;
    while (to < text.length && !first.has(text.charCodeAt(to))) to++;
    if (to > at) give(text.slice(at, to));
    input.at = to;
    if (to === text.length) continue;
    const end = yield* oneOf(input, ends, 0);
    const behind = end < 0 ? end : yield* followedBy(input, end, follows);
    if (behind === CUT) return false;
    if (behind >= 0) {
      input.at += end;
      return true;
    }
    const length = Math.max(end, 1);
    give(input.text.slice(input.at, input.at + length));
    input.at += length;
  }
  return false;
}

/** The line end that a text ends in, or what may become one. */
function lineEndOf(text: string): string {
  if (text.endsWith("\r\n")) return "\r\n";
  return text.endsWith("\n") || text.endsWith("\r") ? text.slice(-1) : "";
}

function* skipLineEnd(input: Input): Reading<boolean> {
  const unit = yield* code(input, 0);
  const length = unit === 0x0a ? 1 : unit === 0x0d && (yield* code(input, 1)) === 0x0a ? 2 : 0;
  input.at += length;
  return length > 0;
}

/** Whether markup stands behind the end tag of a value, white space between: the offset behind it, `NO` or `CUT`. */
function* followedBy(input: Input, offset: number, follows: readonly string[]): Reading<number> {
  const at = yield* space(input, offset);
  return at === NO ? NO : yield* oneOf(input, follows, at);
}
