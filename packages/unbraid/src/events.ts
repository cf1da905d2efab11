// The vocabulary: what a reader says about a response, as plain data that survives JSON.stringify.
// Owns types only. May not import anything, nor know bytes, vendors or rules.

/**
 * Who runs a call, and how its arguments are written.
 *
 * - `function`: the client runs it; arguments are a JSON object.
 * - `custom`: the client runs it; arguments are free text (OpenAI custom tools).
 * - `builtin`: the client runs a tool that the vendor defined (shell, apply_patch, computer, client tool search).
 * - `server`: the vendor runs it (web search, code interpreter, Groq's executed tools).
 * - `mcp`: the vendor runs it on an MCP server.
 * - `mcp-approval`: the vendor asks whether it may run it on an MCP server.
 */
export type CallKind = "function" | "custom" | "server" | "mcp" | "mcp-approval" | "builtin";

/**
 * How a closed call ended.
 *
 * - `complete`: the vendor closed it, or the response ended, and its arguments are whole.
 * - `truncated`: its text is a proper prefix of JSON, or nothing ever closed it.
 * - `malformed`: its text cannot become a JSON object, or it has no name.
 */
export type CallStatus = "complete" | "truncated" | "malformed";

/** Why a response ended, the same words for every vendor; `null` where the wire gave no terminal signal. */
export type FinishReason = "tool_calls" | "stop" | "length" | "content_filter" | "error" | "cancelled";

/** Where in the wire an event came from. */
export interface WirePosition {
  /** 0-based number of the frame. */
  readonly frame: number;
  /** Byte offset of the frame's first byte in the body; -1 where the source yields objects, not bytes. */
  readonly start: number;
  /** Byte offset just after the frame's last byte; -1 where the source yields objects. */
  readonly end: number;
  /** Arrival of the chunk that completed the frame, in milliseconds of the reader's clock; absent without a clock. */
  readonly time?: number;
  /** Which of the responses that are open side by side on one socket it speaks of; absent where there is one. */
  readonly lane?: string;
}

/** What is known of a call when it starts. `id` and `name` are final only in `call.close`. */
export interface CallIdentity {
  /** Ours: unique in the reader, never changes. */
  readonly key: string;
  /** The vendor's id, byte for byte, or one made by us where the wire had none or repeated one. */
  readonly id: string;
  /** The tool's name; empty where the wire never gave one. */
  readonly name: string;
  /** Who runs the call, and how its arguments are written. */
  readonly kind: CallKind;
  /** Which of several candidate answers the call belongs to; 0 where there is one. */
  readonly choice: number;
  /** 0-based order of first sight. */
  readonly index: number;
  /** The vendor's id of the response that holds the call, where the wire has one. Ids are unique only within it. */
  readonly response?: string;
  /** True where `id` was made by us. */
  readonly madeId?: true;
}

/** What is wrong with a call that is not complete. */
export interface CallProblem {
  /** Which one of the closed set it is. */
  readonly code: ProblemCode;
  /** Plain words: what is wrong, and where. */
  readonly message: string;
  /** UTF-16 offset of the fault in `argumentsText`, where there is one. */
  readonly offset?: number;
  /** 1-based line of the fault. */
  readonly line?: number;
  /** 1-based column of the fault, in UTF-16 units. */
  readonly column?: number;
}

/** The closed set of problems a call can have. */
export type ProblemCode =
  | "unexpected-end"
  | "never-closed"
  | "argument-limit"
  | "invalid-json"
  | "control-character"
  | "invalid-escape"
  | "trailing-text"
  | "glued-values"
  | "too-deep"
  | "not-an-object"
  | "no-name";

/** A corrected argument text, offered only when there is one reading of the malformed one. */
export interface CallRepair {
  /** The argument text that was kept out. */
  readonly argumentsText: string;
  /** The corrected arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What was corrected, in order. */
  readonly codes: readonly string[];
}

/** A closed call. */
export interface ToolCall extends CallIdentity {
  /** How the call ended. */
  readonly status: CallStatus;
  /** What the model wrote, less transport damage. For `custom` calls the free text itself. */
  readonly argumentsText: string;
  /** The parsed arguments; null unless the call is complete and its arguments are JSON. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** What is wrong with a call that is not complete. */
  readonly problem?: CallProblem;
  /** A corrected argument text, where there is exactly one reading. */
  readonly repair?: CallRepair;
  /** The vendor's own fields beside the call, to be echoed with it (signatures, item id, namespace, caller). */
  readonly echo?: Readonly<Record<string, unknown>>;
}

/**
 * Which of a vendor's wires it was, where the protocol's name covers several and it was not the first of them: turns go
 * back in another form.
 *
 * - `interactions`, `live`: of Gemini, whose first is generateContent; `live` also of OpenAI Realtime.
 * - `conversations`: of Mistral, whose first is chat.
 * - `invoke-anthropic`, `invoke-openai`: of Bedrock, whose first is Converse: InvokeModel with the events of that vendor.
 */
export type WireVariant = "interactions" | "live" | "conversations" | "invoke-anthropic" | "invoke-openai";

/** A response became known by its vendor id, its model, or the variant of its wire. */
export interface ResponseEvent {
  /** Tells the events apart. */
  readonly type: "response";
  /** The variant of the wire; absent for a vendor's first. */
  readonly variant?: WireVariant;
  /** The vendor's id. */
  readonly id?: string;
  /** The model's name, as the vendor gives it. */
  readonly model?: string;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** A call was opened. Comes before every other event of the call. */
export interface CallStartEvent {
  /** Tells the events apart. */
  readonly type: "call.start";
  /** The call. */
  readonly call: CallIdentity;
  /** The vendor's own fields beside the call, as far as they are known when it starts; `call.close` has them all. */
  readonly echo?: Readonly<Record<string, unknown>>;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** Argument text was added at the end of what the call holds. */
export interface CallAppendEvent {
  /** Tells the events apart. */
  readonly type: "call.append";
  /** The call. */
  readonly call: CallIdentity;
  /** The text. */
  readonly text: string;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** The vendor contradicted what it had streamed: the call's whole text is now this. Never on a sound stream. */
export interface CallReplaceEvent {
  /** Tells the events apart. */
  readonly type: "call.replace";
  /** The call. */
  readonly call: CallIdentity;
  /** The text. */
  readonly text: string;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** A call is over. Comes exactly once for every started call that is not retracted. */
export interface CallCloseEvent {
  /** Tells the events apart. */
  readonly type: "call.close";
  /** The call. */
  readonly call: ToolCall;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** Why a call was taken back. */
export type RetractReason = "superseded-by-restart" | "fallback" | "repeated-call" | "cancelled";

/** A started or closed call is taken back: it must not run, and is not part of the answer. */
export interface CallRetractEvent {
  /** Tells the events apart. */
  readonly type: "call.retract";
  /** The call. */
  readonly call: CallIdentity;
  /** Why, in one word. */
  readonly reason: RetractReason;
  /** The argument text that the call held. */
  readonly argumentsText: string;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** A session shows that the client has answered a call: it must not run again. Only on wires that carry both sides. */
export interface CallAnsweredEvent {
  /** Tells the events apart. */
  readonly type: "call.answered";
  /** The id that the result quoted. */
  readonly id: string;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** Text for the user. */
export interface TextEvent {
  /** Tells the events apart. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
  /** Which of several candidate answers it belongs to. */
  readonly choice: number;
  /** True where the vendor marked the text as a refusal. */
  readonly refusal?: true;
  /** What holds the text, where the wire says so: the id of the item (Responses), the number of the block (Anthropic). */
  readonly item?: string;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** The model's reasoning, as far as the vendor shows it. */
export interface ReasoningEvent {
  /** Tells the events apart. */
  readonly type: "reasoning";
  /** The text. */
  readonly text: string;
  /** The wire's name for it, where dialects differ and it must go back under the same one (`reasoning_content`). */
  readonly field?: string;
  /** Which of several candidate answers it belongs to. */
  readonly choice: number;
  /** What holds the text, where the wire says so: the id of the item (Responses), the number of the block (Anthropic). */
  readonly item?: string;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/**
 * A part of the vendor's answer that is neither text, reasoning text nor a call, and must be echoed verbatim in its
 * place: a signed thinking block, an encrypted reasoning item, a server tool's result.
 */
export interface PartEvent {
  /** Tells the events apart. */
  readonly type: "part";
  /** The part as the vendor would want it back. */
  readonly part: unknown;
  /** Which of several candidate answers it belongs to. */
  readonly choice: number;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** Token counts, as soon as the wire gives them; a later event replaces an earlier one. */
export interface UsageEvent {
  /** Tells the events apart. */
  readonly type: "usage";
  /** Tokens of the request. */
  readonly inputTokens?: number;
  /** Tokens that the model wrote. */
  readonly outputTokens?: number;
  /** The vendor's own object. */
  readonly raw: unknown;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** The response is over: the last event of every response, exactly once. */
export interface FinishEvent {
  /** Tells the events apart. */
  readonly type: "finish";
  /** Null where the wire had no terminal signal. */
  readonly reason: FinishReason | null;
  /** The wire's own first word for it. */
  readonly raw: string | null;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** An error that the stream carried, or that ended the reading. */
export interface ErrorEvent {
  /** Tells the events apart. */
  readonly type: "error";
  /** What went wrong. */
  readonly error: WireError;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** The content of an error event: the vendor's own, or ours where reading had to stop. */
export interface WireError {
  /**
   * The vendor's code or type; one of ours (`limit`, `frame-too-large`, `broken-frame`, `not-a-stream`, `source`,
   * `http`) where reading stopped.
   */
  readonly code: string | number | null;
  /** Plain words. */
  readonly message: string;
  /** The HTTP status, where the source was a `Response` that was not ok. */
  readonly status?: number;
  /** The vendor's own object, as far as there was one. */
  readonly raw?: unknown;
}

/** Something that was kept out of the calls, and why. */
export interface Dropped {
  /** Why, in one word. */
  readonly reason: string;
  /** The vendor's id. */
  readonly id?: string;
  /** The name. */
  readonly name?: string;
  /** The argument text that was kept out. */
  readonly argumentsText?: string;
}

/** An irregularity that was seen, and what was done about it. */
export interface NoticeEvent {
  /** Tells the events apart. */
  readonly type: "notice";
  /** Which one of the closed set it is. */
  readonly code: NoticeCode;
  /** Plain words. */
  readonly message: string;
  /** The key of the call it concerns. */
  readonly call?: string;
  /** What was kept out because of it. */
  readonly dropped?: Dropped;
  /** Where in the wire it came from. */
  readonly at: WirePosition;
}

/** Everything a reader says. */
export type StreamEvent =
  | ResponseEvent
  | CallStartEvent
  | CallAppendEvent
  | CallReplaceEvent
  | CallCloseEvent
  | CallRetractEvent
  | CallAnsweredEvent
  | TextEvent
  | ReasoningEvent
  | PartEvent
  | UsageEvent
  | FinishEvent
  | ErrorEvent
  | NoticeEvent;

/** The closed set of irregularities. One code for one thing seen. */
export type NoticeCode =
  // framing
  | "non-json-frame"
  | "cut-frame"
  | "glued-frames"
  | "bare-line"
  | "final-event-unterminated"
  | "frame-too-large"
  | "broken-frame"
  | "not-a-stream"
  // identity
  | "id-missing"
  | "id-late"
  | "id-changed"
  | "id-collision"
  | "index-reused"
  | "index-drift"
  | "identity-guessed"
  | "orphan-fragment"
  | "late-fragment"
  | "repeated-call"
  | "superseded-by-restart"
  | "fallback"
  | "cancelled"
  | "late-header"
  // names
  | "name-fragmented"
  | "name-restated"
  | "name-conflict"
  | "name-normalised"
  | "control-token-in-name"
  // argument text
  | "arguments-not-string"
  | "placeholder-arguments"
  | "null-arguments"
  | "repeated-arguments"
  | "cumulative-arguments"
  | "double-encoded"
  | "control-token-after-arguments"
  | "final-disagrees"
  | "suffix-recovered"
  | "malformed-arguments"
  | "lone-surrogate"
  // calls left in the text
  | "rescued-call"
  | "rescue-cut"
  // response
  | "replayed-event"
  | "missing-start"
  | "missing-close"
  | "snapshot-empty"
  | "finish-mismatch"
  | "finish-repeated"
  | "finish-missing"
  | "data-after-finish"
  | "unterminated-stream"
  | "provider-malformed-call"
  | "limit"
  | "unknown-frame"
  // against the declared tools
  | "unknown-tool"
  | "missing-required-arguments";
