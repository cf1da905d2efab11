// The door of the translator: `unbraid/translate`. Names what is public, nothing else.

export type {
  AnswerFormat,
  Effort,
  NeutralRequest,
  NeutralTurn,
  ReasoningRequest,
  RequestWire,
  ToolChoice,
} from "./neutral-request.ts";
export type { TranslateNotice, TranslateNoticeCode } from "./notices.ts";
export { isRequestError, RequestError, type RequestErrorCode } from "./request-error.ts";
export {
  readRequest,
  requestPath,
  translateRequest,
  writeRequest,
  type ReadRequest,
  type ReadRequestOptions,
  type TranslatedRequest,
  type TranslateOptions,
  type WriteRequestOptions,
  type WrittenRequest,
} from "./translate.ts";
export type { AnswerItem } from "../turns/answer.ts";
export type { ContentPart, FilePart, ImagePart, TextPart } from "../turns/content.ts";
export type { CallResult, CustomFormat, JsonSchema, ToolDefinition } from "../turns/turn-form.ts";
export type { CallIdentity, CallKind, CallProblem, CallRepair, CallStatus, ProblemCode, ToolCall } from "../events.ts";
