// Arguments that are no JSON object, for clients that parse while they read and fail as a whole at them. Owns the text that is
// sent instead, also behind a beginning that the client already has: it parses, and no schema that asks for anything takes it.

import type { DeclaredTool, ToolCall } from "unbraid";
import { answerable } from "./answerable.ts";
import { type Obj, objectOf } from "./dialect.ts";

/**
 * What to send of a call that must not run.
 *
 * @param whole The call as it closed.
 * @param sent What the client has of its arguments: nothing, or the beginning of a JSON value.
 * @param tools What the client declared; undefined where that is not known.
 * @returns The text to add. Undefined where everything that could be added makes something that the tool would run with:
 *   then the text must stay as the model wrote it, and the client fails at it.
 * @example
 * unfit(call, "", tools); // '{"invalid_arguments":"{\\"a\\":,}"}'
 * unfit(call, '{"city":"Os', tools); // '","city":null,"invalid_arguments":"…"}'
 */
export function unfit(whole: ToolCall, sent: string, tools: readonly DeclaredTool[] | undefined): string | undefined {
  const blank = sent.trim() === "";
  // A value that is no object fits no tool, and such a beginning can become nothing else.
  if (!blank && !sent.trimStart().startsWith("{")) return endOf(sent).text;
  const { text, keys } = blank ? { text: "{", keys: [] } : endOf(sent);
  const tool = tools?.find(({ name }) => name === whole.name);
  // Only a value that is no object at all is refused by a tool that takes every object.
  if (tool !== undefined && !refuses(objectOf(tool.parameters), keys))
    return blank ? JSON.stringify(whole.argumentsText) : undefined;
  // A key that comes twice counts as it comes last.
  const nothing = keys.map((key) => `${JSON.stringify(key)}:null,`).join("");
  return `${text}${nothing}${JSON.stringify(answerable({ ...whole, arguments: null })).slice(1)}`;
}

/** Whether a schema refuses an object with these keys, all null, and one that it does not know. */
function refuses(schema: Obj | undefined, keys: readonly string[]): boolean {
  if (schema === undefined) return false;
  if (schema["additionalProperties"] === false) return true;
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const properties = objectOf(schema["properties"]) ?? {};
  return required.some((name) => {
    if (typeof name !== "string" || !keys.includes(name)) return typeof name === "string";
    const type = Object.hasOwn(properties, name) ? objectOf(properties[name])?.["type"] : undefined;
    return type !== undefined && ![type].flat().includes("null");
  });
}

/** Where a reading of a value stands in the innermost container. */
type Place = "value" | "key" | "colon" | "next";

const WORDS = ["true", "false", "null"];

/**
 * What has to follow a beginning of JSON. Of an object its last bracket is left out, and there is a comma where another
 * member needs one.
 */
function endOf(sent: string): { readonly text: string; readonly keys: readonly string[] } {
  const keys: string[] = [];
  const stack: string[] = [];
  let place: Place = "value";
  /** Where the string or the bare word began that is not over. */
  let string = -1;
  let word = -1;
  let escape = 0;
  for (let at = 0; at < sent.length; at++) {
    const character = sent.charAt(at);
    if (string >= 0) {
      if (escape > 0) escape += character === "u" && escape === 1 ? 3 : -1;
      else if (character === "\\") escape = 1;
      else if (character === '"') {
        if (place === "key" && stack.length === 1) keys.push(JSON.parse(sent.slice(string, at + 1)) as string);
        place = place === "key" ? "colon" : "next";
        string = -1;
      }
      continue;
    }
    if (word >= 0 && /[\s,\]}]/.test(character)) {
      word = -1;
      place = "next";
    }
    if (word >= 0 || /\s/.test(character)) continue;
    if (character === '"') string = at;
    else if (character === "{" || character === "[") {
      stack.push(character);
      place = character === "{" ? "key" : "value";
    } else if (character === "}" || character === "]") {
      stack.pop();
      place = "next";
    } else if (character === ":") place = "value";
    else if (character === ",") place = stack.at(-1) === "{" ? "key" : "value";
    else word = at;
  }
  let text = "";
  if (string >= 0) {
    // Behind a backslash another one; of a number four digits.
    text += escape === 1 && sent.endsWith("\\") ? "\\" : "0".repeat(escape);
    if (place === "key" && stack.length === 1) keys.push(JSON.parse(`${sent.slice(string)}${text}"`) as string);
    text += '"';
    place = place === "key" ? "colon" : "next";
  } else if (word >= 0) {
    const begun = sent.slice(word);
    text += WORDS.find((each) => each.startsWith(begun))?.slice(begun.length) ?? (/\d$/.test(begun) ? "" : "0");
    place = "next";
  }
  const object = stack[0] === "{";
  while (stack.length > (object ? 1 : 0) || (place !== "next" && place !== "key")) {
    const container = stack.at(-1);
    if (place === "colon") text += ":null";
    else if (place === "value" && (container === "{" || !/\[\s*$/.test(sent + text))) text += "null";
    else if (place === "key" && !/\{\s*$/.test(sent + text)) text += '"":null';
    place = "next";
    if (stack.length <= (object ? 1 : 0)) break;
    text += container === "{" ? "}" : "]";
    stack.pop();
  }
  return { text: object && place === "next" ? `${text},` : text, keys };
}
