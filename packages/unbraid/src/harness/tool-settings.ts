// What is checked of a tool when it is made. Owns the rule for names; everything else here guards against slips of the
// programmer.

import type { ToolSettings } from "./tool.ts";

interface Given extends ToolSettings {
  readonly name: string;
  readonly description?: string;
}

/** What all vendors take: the strictest of what each allows in the first letter, the others, and the length. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * The settings of a tool, those that were given.
 *
 * @throws TypeError where the name or a setting makes no sense.
 */
export function checkedSettings(given: Given): Given {
  const { name, description, timeoutMs, parallel, early, repeatable } = given;
  if (typeof name !== "string" || !NAME.test(name))
    throw new TypeError(
      `tool ${JSON.stringify(name)}: a name has 1 to 64 letters, digits, "_" and "-", and starts with a letter or "_"`,
    );
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw new TypeError(`tool "${name}": timeoutMs must be 0 or more milliseconds, not ${String(timeoutMs)}`);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(early === undefined ? {} : { early }),
    ...(repeatable === undefined ? {} : { repeatable }),
  };
}
