// The entry `unbraid/models`: a model for every wire, over fetch or over an SDK client. Only those that are imported end up
// in a bundle.

export { anthropic, type AnthropicClient, type AnthropicOptions } from "./anthropic.ts";
export { bedrock, type BedrockClient, type BedrockClientOptions, type BedrockHttpOptions } from "./bedrock.ts";
export { cohere, type CohereClient, type CohereV2Client } from "./cohere.ts";
export { gemini, type GeminiClient } from "./gemini.ts";
export { geminiLive } from "./gemini-live.ts";
export { geminiInteractions, type GeminiInteractionsClient } from "./gemini-interactions.ts";
export type { Fetch } from "./http.ts";
export { mistral, type MistralClient } from "./mistral.ts";
export type { Body, ClientModelOptions, HttpModelOptions, ModelOptions } from "./model-of.ts";
export { ollama, type OllamaClient } from "./ollama.ts";
export { openaiRealtime, type SocketModelOptions } from "./openai-realtime.ts";
export type { Socket } from "./socket.ts";
export { openaiChat, type OpenAIChatClient } from "./openai-chat.ts";
export { openaiResponses, type OpenAIResponsesClient, type ResponsesOptions } from "./openai-responses.ts";
export { isModelError, ModelError, type ModelErrorCode, type ModelErrorDetails } from "../harness/model-error.ts";
export type { Model, ModelRequest } from "../harness/model.ts";
