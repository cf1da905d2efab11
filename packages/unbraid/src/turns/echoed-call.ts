// A call in a shape that a vendor accepts in a history, whatever the model wrote. Owns names and arguments of echoed calls.

import type { ToolCall } from "../events.ts";
import { tooDeep } from "../wire-values.ts";
import { wellFormed } from "./content.ts";

/** The key that holds a text which is no JSON object. */
export const INVALID_ARGUMENTS = "invalid_arguments";

/** UTF-16 units of an unreadable text that are sent back, from its beginning and from its end. */
const HEAD = 3000;
const TAIL = 500;

/** A text of bounded length; what is left out is counted in its place. */
export function bounded(text: string): string {
  if (text.length <= HEAD + TAIL) return wellFormed(text);
  const left = text.length - HEAD - TAIL;
  return wellFormed(`${text.slice(0, HEAD)} … (${left} characters left out) … ${text.slice(-TAIL)}`);
}

/** An escape in JSON: of a whole surrogate pair, of one half (which is kept as `$1`), or any other. */
const ESCAPE = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

/** JSON whose strings have no lone halves; nothing else in it is touched. */
function withoutLoneHalves(json: string): string {
  return wellFormed(json.replace(ESCAPE, (escape, half?: string) => (half === undefined ? escape : "\u{fffd}")));
}

/**
 * The JSON text of the object that a call's arguments are: what the model wrote where that is one, else an object that
 * holds it.
 *
 * @example
 * argumentsTextOf({ ...call, status: "malformed", argumentsText: "{a" }); // '{"invalid_arguments":"{a"}'
 */
export function argumentsTextOf(call: ToolCall): string {
  return soundText(call) ?? JSON.stringify(held(call));
}

/** As {@link argumentsTextOf}, as an object. */
export function argumentsOf(call: ToolCall): Readonly<Record<string, unknown>> {
  const text = soundText(call);
  if (text === undefined) return held(call);
  const plain = call.arguments !== null && text === call.argumentsText;
  return plain ? call.arguments : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}

/** What the model wrote, as a value; a call that was cut before its arguments began has none. */
function held({ argumentsText }: ToolCall): Readonly<Record<string, unknown>> {
  return argumentsText.trim() === "" ? {} : { [INVALID_ARGUMENTS]: bounded(argumentsText) };
}

/** The text of arguments that are an object which every vendor can read; undefined for any others. */
function soundText({ status, arguments: args, argumentsText }: ToolCall): string | undefined {
  if (status !== "complete" || args === null || Array.isArray(args) || tooDeep(args)) return undefined;
  // No arguments are written as nothing, or as `null`.
  return argumentsText.trimStart().startsWith("{") ? withoutLoneHalves(argumentsText) : JSON.stringify(args);
}

/** Which names a vendor takes. */
export interface NameRule {
  /** Matches one character that is not taken. */
  readonly refused: RegExp;
  /** Longest name. */
  readonly length: number;
  /** Matches a name whose beginning is not taken. */
  readonly badStart?: RegExp;
  /** The rule in words. */
  readonly words: string;
}

/** What most vendors take. */
export const COMMON_NAMES: NameRule = {
  refused: /[^a-zA-Z0-9_-]/gu,
  length: 64,
  words: "1 to 64 of a-z, A-Z, 0-9, _ and -",
};

/** A call's name where it is acceptable, else the nearest one that is. */
export function nameOf(name: string, rule: NameRule): string {
  const plain = name.replace(rule.refused, "_");
  const started = rule.badStart?.test(plain) === true ? `_${plain}` : plain;
  return started === "" ? "unnamed_tool" : started.slice(0, rule.length);
}

/**
 * Refuses definitions that a vendor would refuse.
 *
 * @throws TypeError for a name that is not taken, or that comes twice.
 */
export function checkNames(definitions: readonly { readonly name: string }[], rule: NameRule): void {
  const seen = new Set<string>();
  for (const { name } of definitions) {
    if (name === "" || nameOf(name, rule) !== name)
      throw new TypeError(`The tool name ${JSON.stringify(name)} is refused by this vendor: use ${rule.words}.`);
    if (seen.has(name)) throw new TypeError(`Two tools have the name "${name}": every name must be used once.`);
    seen.add(name);
  }
}
