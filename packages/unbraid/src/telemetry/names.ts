// The names of OpenTelemetry's GenAI conventions that are used here, as of release v0.1.0 of
// https://github.com/open-telemetry/semantic-conventions-genai (all in development there). Owns the spelling alone: a
// package for them would tie our users to its pace.

/** Attributes of spans. */
export const ATTRIBUTE = {
  agentName: "gen_ai.agent.name",
  conversationId: "gen_ai.conversation.id",
  errorType: "error.type",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  operation: "gen_ai.operation.name",
  outputMessages: "gen_ai.output.messages",
  outputTokens: "gen_ai.usage.output_tokens",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  requestStream: "gen_ai.request.stream",
  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  systemInstructions: "gen_ai.system_instructions",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  toolArguments: "gen_ai.tool.call.arguments",
  toolCallId: "gen_ai.tool.call.id",
  toolDescription: "gen_ai.tool.description",
  toolName: "gen_ai.tool.name",
  toolResult: "gen_ai.tool.call.result",
  toolType: "gen_ai.tool.type",
} as const;

/** Values of `gen_ai.operation.name`. */
export const OPERATION = {
  chat: "chat",
  executeTool: "execute_tool",
  generateContent: "generate_content",
  invokeAgent: "invoke_agent",
} as const;

/** Events of our own on the span of the run: what happened to a call that is no execution of a tool. */
export const EVENT = {
  /** The answer was kept from before: nothing ran. */
  replayed: "unbraid.tool.replayed",
  /** The call could not run, and was answered with why. */
  notRun: "unbraid.tool.not_run",
  /** An attempt at a turn was dropped. */
  dropped: "unbraid.turn.dropped",
} as const;

/** OpenTelemetry's word for errors that have no better one. */
export const OTHER_ERROR = "_OTHER";
