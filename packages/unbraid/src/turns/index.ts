// The entry `unbraid/turns`: how each vendor takes a turn back. Owns the table of forms.

import type { WireVariant } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import { anthropicTurns, bedrockAnthropicTurns } from "./anthropic.ts";
import { bedrockTurns } from "./bedrock.ts";
import { cohereTurns } from "./cohere.ts";
import { geminiInteractionsTurns } from "./gemini-interactions.ts";
import { geminiLiveTurns } from "./gemini-live.ts";
import { geminiTurns } from "./gemini.ts";
import { mistralConversationsTurns } from "./mistral-conversations.ts";
import { mistralTurns } from "./mistral.ts";
import { ollamaTurns } from "./ollama.ts";
import { bedrockOpenaiTurns, openaiChatTurns, textTurns } from "./openai-chat.ts";
import { openaiLiveTurns, openaiRealtimeTurns } from "./openai-realtime.ts";
import { openaiResponsesTurns } from "./openai-responses.ts";
import type { TurnForm, TurnFormName } from "./turn-form.ts";

export { AnswerCollector, pending, withRepairs, type Answer, type AnswerItem } from "./answer.ts";
export type { ContentPart, FilePart, ImagePart, TextPart } from "./content.ts";
export { forSdk } from "./sdk-spelling.ts";
export type {
  CallResult,
  CustomFormat,
  JsonSchema,
  RequestParts,
  ToolDefinition,
  TurnForm,
  TurnFormName,
} from "./turn-form.ts";
export type * from "../events.ts";
export type { ProtocolName } from "../protocols/protocol.ts";
export {
  anthropicTurns,
  bedrockAnthropicTurns,
  bedrockOpenaiTurns,
  bedrockTurns,
  cohereTurns,
  geminiInteractionsTurns,
  geminiLiveTurns,
  geminiTurns,
  mistralConversationsTurns,
  mistralTurns,
  ollamaTurns,
  openaiChatTurns,
  openaiLiveTurns,
  openaiRealtimeTurns,
  openaiResponsesTurns,
  textTurns,
};

/** Every form, by its name. */
export const turnForms: Readonly<Record<TurnFormName, TurnForm>> = {
  "openai-chat": openaiChatTurns,
  "openai-responses": openaiResponsesTurns,
  "openai-realtime": openaiRealtimeTurns,
  "openai-realtime/live": openaiLiveTurns,
  anthropic: anthropicTurns,
  gemini: geminiTurns,
  "gemini/interactions": geminiInteractionsTurns,
  "gemini/live": geminiLiveTurns,
  bedrock: bedrockTurns,
  "bedrock/invoke-anthropic": bedrockAnthropicTurns,
  "bedrock/invoke-openai": bedrockOpenaiTurns,
  cohere: cohereTurns,
  mistral: mistralTurns,
  "mistral/conversations": mistralConversationsTurns,
  ollama: ollamaTurns,
  text: textTurns,
};

/**
 * The form in which an answer goes back.
 *
 * @param wire The wire that the answer came from: an `Answer` says it.
 * @example
 * const messages = turnFormOf(collector.answer).assistant(collector.answer);
 */
export function turnFormOf(wire: { readonly protocol: ProtocolName; readonly variant?: WireVariant }): TurnForm {
  const name = wire.variant === undefined ? wire.protocol : `${wire.protocol}/${wire.variant}`;
  return Object.hasOwn(turnForms, name) ? turnForms[name as TurnFormName] : turnForms[wire.protocol];
}
