// Which kinds of call are whose. Owns that distinction.

import type { CallKind } from "./events.ts";

/** Whether the client runs calls of this kind. */
export function isClientKind(kind: CallKind): boolean {
  return kind === "function" || kind === "custom" || kind === "builtin";
}
