// The door of the harness: tools, what a model is told about a call that cannot run, running those that can, and the loop.
// By name, nothing else.

export type * from "../events.ts";
export type { AnswerItem } from "../turns/answer.ts";
export type { ContentPart, FilePart, ImagePart, TextPart } from "../turns/content.ts";
export type { CallResult, CustomFormat, JsonSchema, ToolDefinition } from "../turns/turn-form.ts";
export type { Approval, ApprovalRequest, Approve } from "./approval.ts";
export { argumentsHash } from "./arguments-hash.ts";
export { CorrectionBudget, type BudgetVerdict, type CorrectionLimits } from "./correction-budget.ts";
export type {
  AbortedInfo,
  AboutCall,
  CollisionInfo,
  Correction,
  CorrectionReason,
  Corrections,
  InvalidArgumentsInfo,
  MalformedInfo,
  NotRunInfo,
  RefusedInfo,
  RepairedInfo,
  ThrewInfo,
  TimedOutInfo,
  TruncatedInfo,
  UnknownOutcomeInfo,
  UnknownToolInfo,
} from "./corrections.ts";
export { correctiveResult, correctiveText, repairedNote, type CorrectiveResult } from "./corrective.ts";
export { Dispatch, type DispatchOptions } from "./dispatch.ts";
export type {
  AboutTool,
  DispatchResult,
  ToolApprovalEvent,
  ToolEvent,
  ToolResultEvent,
  ToolStartEvent,
} from "./events.ts";
export type { Claim, ClaimOutcome, ClaimRequest, Ledger, LedgerKey, RecordedResult, TurnRecord } from "./ledger.ts";
export { contentOf, type OutputLimits } from "./output.ts";
export {
  decide,
  decideCall,
  type AnswerDecision,
  type CallDecision,
  type JudgedAnswer,
  type LeaveDecision,
  type PolicyOptions,
  type RunDecision,
} from "./policy.ts";
export { issuesOf, type SchemaError } from "./schema-issues.ts";
export { maskSecrets } from "./secrets.ts";
export type {
  StandardIssue,
  StandardJsonSchema,
  StandardOutput,
  StandardResult,
  StandardSchema,
  StandardSchemaProperties,
} from "./standard-schema.ts";
export { isToolError, messageOfThrown, ToolError } from "./tool-error.ts";
export {
  customTool,
  tool,
  type ArgumentsOf,
  type CustomToolOptions,
  type SchemaIssue,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolOutput,
  type ToolSettings,
  type Validation,
} from "./tool.ts";
export { ToolSet } from "./tool-set.ts";
export { isModelError, ModelError, type ModelErrorCode, type ModelErrorDetails } from "./model-error.ts";
export type { Model, ModelRequest } from "./model.ts";
export type {
  RunEndEvent,
  RunEvent,
  RunReason,
  RunResult,
  RunUsage,
  TurnDropEvent,
  TurnEndEvent,
  TurnStartEvent,
  TurnStreamEvent,
} from "./run-events.ts";
export type { DispatchSetting, ReadingSetting } from "./run-setting.ts";
export { runTools, type RunToolsOptions } from "./run-tools.ts";
export { ToolRun } from "./tool-run.ts";
