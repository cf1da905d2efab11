// What a tool throws when it has something to say to the model. Owns the class and its brand, and the words of any other
// thrown thing.

import { beginning } from "./excerpt.ts";
import { maskSecrets } from "./secrets.ts";

const BRAND = Symbol.for("unbraid.ToolError");

/**
 * An error whose message is meant for the model and goes there word for word. Any other error's message is shortened and
 * masked.
 *
 * @example
 * throw new ToolError("There is no order 17. Ask the user for its number.");
 */
export class ToolError extends Error {
  /** `ToolError`. */
  override readonly name: string = "ToolError";

  /**
   * Says something to the model.
   *
   * @param message For the model.
   * @param options The error behind it, for logs; the model does not see it.
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether something thrown is a {@link ToolError}, also of another copy of this library. */
export function isToolError(thrown: unknown): thrown is ToolError {
  try {
    return thrown instanceof Error && (thrown as { [BRAND]?: unknown })[BRAND] === true;
  } catch {
    return false;
  }
}

/** UTF-16 units of an error's message. */
const MAX_MESSAGE = 600;

/**
 * What may be said of anything thrown: its message without lines of a stack, masked and bounded.
 *
 * @example
 * messageOfThrown(new Error("connect ECONNREFUSED\n    at TCP.connect (node:net:1)")); // "connect ECONNREFUSED"
 */
export function messageOfThrown(thrown: unknown): string {
  const lines = maskSecrets(rawMessage(thrown))
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .filter((line) => !STACK_LINE.test(line) && line.trim() !== "")
    .map((line) => line.trimEnd());
  const text = lines.join("\n").trim();
  if (text === "") return "an error without a message";
  return text.length <= MAX_MESSAGE ? text : `${beginning(text, MAX_MESSAGE)}…`;
}

/** V8's and Firefox's forms of a frame: `at f (file:1:2)`, `f@file:1:2`. Python's: `File "x", line 1`. */
const STACK_LINE =
  /^\s*(?:at\s.{0,400}(?::\d+\)?|\(native\)|<anonymous>\)?)\s*$|[^\s@]{0,200}@\S{1,400}:\d+:\d+$|File ".{0,400}", line \d+)/;

function rawMessage(thrown: unknown): string {
  try {
    if (typeof thrown === "string") return thrown;
    if (typeof thrown === "number" || typeof thrown === "bigint" || typeof thrown === "boolean") return String(thrown);
    if (typeof thrown !== "object" || thrown === null) return "";
    const { message } = thrown as { message?: unknown };
    return typeof message === "string" ? message : "";
  } catch {
    // A getter or a proxy that throws while it is read.
    return "";
  }
}
