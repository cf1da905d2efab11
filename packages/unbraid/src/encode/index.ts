// The door of the encoders: `unbraid/encode`. Names what is public, nothing else.

export { encodeAnthropic } from "./anthropic.ts";
export type { EncodedWire, EncodeNotice, EncodeNoticeCode, EncodeOptions, Encoder, WholeResponse } from "./encoder.ts";
export { fitIdentifier, originalIdentifier, type IdentifierRule } from "./identifiers.ts";
export { encodeOpenaiChat, type OpenaiChatEncodeOptions } from "./openai-chat.ts";
export { encodeGemini, type GeminiEncodeOptions } from "./gemini.ts";
export { encodeOllama } from "./ollama.ts";
export { encodeOpenaiResponses } from "./openai-responses.ts";
export { encodeAgUi, type AgUiEncodeOptions } from "./ag-ui.ts";
export { encodeAiSdkUi, type AiSdkUiEncodeOptions } from "./ai-sdk-ui.ts";
export { wholeAnthropic, wholeGemini, wholeOllama, wholeOpenaiChat, wholeOpenaiResponses } from "./whole-forms.ts";
export type * from "../events.ts";
export type { ProtocolName } from "../protocols/protocol.ts";
