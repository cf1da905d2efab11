// The arguments of a call for wires that carry objects, where the call's text is none. Owns that form.

import type { ToolCall } from "unbraid";

/**
 * The arguments as an object. What is no JSON object stands under one key, the one that the library uses for such calls
 * everywhere: it fits no schema that asks for anything, so that the client answers the call with an error the model can read.
 *
 * @param call A closed call.
 */
export function answerable(call: ToolCall): Readonly<Record<string, unknown>> {
  return call.arguments ?? { invalid_arguments: call.argumentsText };
}
