// Calls whose arguments are not whole or no JSON, and calls that are taken back, in wires that cannot take anything back.
// Owns the forms in which a client meets them: such that it can answer them, and never run them as they are.

import type { RetractReason, ToolCall } from "../events.ts";
import { INVALID_ARGUMENTS } from "../turns/echoed-call.ts";

/** The arguments of a call as an object, wrapped where they are none. */
export function argumentsObject(call: ToolCall): {
  readonly value: Readonly<Record<string, unknown>>;
  readonly wrapped: boolean;
} {
  if (call.arguments !== null) return { value: call.arguments, wrapped: false };
  if (call.kind === "custom" && call.status === "complete")
    return { value: { input: call.argumentsText }, wrapped: false };
  return { value: { [INVALID_ARGUMENTS]: call.argumentsText }, wrapped: true };
}

/**
 * The arguments of a call as JSON text of an object, wrapped where they are none. Text that is JSON stays byte for byte.
 */
export function argumentsJson(call: ToolCall): { readonly text: string; readonly wrapped: boolean } {
  if (call.arguments !== null) return { text: call.argumentsText, wrapped: false };
  const { value, wrapped } = argumentsObject(call);
  return { text: JSON.stringify(value), wrapped };
}

/**
 * What is put behind the arguments of a call that is not whole though they are JSON, or none: the vendor said so, or nothing
 * ever closed it. Empty where the text breaks off, which a client sees by itself.
 */
export function unwhole({ status, argumentsText, kind }: ToolCall): string {
  if (status !== "truncated" || kind === "custom") return "";
  try {
    // Clients take no text for no arguments.
    if (argumentsText.trim() !== "") JSON.parse(argumentsText);
  } catch {
    return "";
  }
  return '"<"<not whole>';
}

/**
 * What is put behind the arguments of a call that was taken back: with it no client runs them, and a model that sees them
 * again understands why. Wherever the text stood, inside a string, behind a backslash or outside: the text is no JSON any
 * more, and none that a reader of partial JSON would complete.
 */
export function voided(reason: RetractReason): string {
  return `"<"<taken back: ${reason}>`;
}
