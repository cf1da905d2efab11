// Questions about whole JSON texts that the rules for arguments ask. Owns the answers; pure.

import { JsonScanner } from "../json/scanner.ts";

/** White space, and nothing else. */
export const BLANK: RegExp = /^[ \t\r\n]*$/;
/** White space at the beginning. */
export const BLANK_LEAD: RegExp = /^[ \t\r\n]*/;
/** An object without members, and nothing else. */
export const EMPTY_OBJECT: RegExp = /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/;

/** Argument text as it is to be appended: a value that is no string becomes its JSON text. Undefined: it is nested too deep. */
export function textOfValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // Nesting deeper than the engine's stack: it would not have been read either.
    return undefined;
  }
}

/** Whether a text is one JSON object, whole. */
export function isWholeObject(text: string): boolean {
  const scanner = new JsonScanner();
  return scanner.feed(text) && scanner.state === "closed" && scanner.kind === "object";
}

/** The content of a text that is one JSON string, or undefined. */
export function stringIn(text: string): string | undefined {
  if (!text.trimStart().startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
