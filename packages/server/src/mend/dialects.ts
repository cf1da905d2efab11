// The wires that are mended, by name. Owns the table.

import type { ProtocolName } from "unbraid";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { ollama } from "./ollama.ts";
import { responses } from "./responses.ts";

/** Every one; a wire that is not here passes as it is. */
export const dialects: Readonly<Partial<Record<ProtocolName, Dialect<unknown>>>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic,
  gemini,
  ollama,
};
