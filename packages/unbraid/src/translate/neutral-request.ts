// A request before any vendor's form: what all of them mean, in words of our own. Owns the model in the middle, so that each
// vendor needs one reader and one writer.

import type { AnswerItem } from "../turns/answer.ts";
import type { ContentPart } from "../turns/content.ts";
import type { CallResult, JsonSchema, ToolDefinition } from "../turns/turn-form.ts";

/** The wires whose requests can be read and written. */
export type RequestWire = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** One step of a history. */
export type NeutralTurn =
  /** Instructions that stand amid the history. */
  | { readonly role: "system"; readonly text: string; readonly path: string }
  | { readonly role: "user"; readonly content: readonly ContentPart[]; readonly path: string }
  | { readonly role: "assistant"; readonly items: readonly AnswerItem[]; readonly path: string }
  /** What answers calls of the assistant's turn before it. */
  | { readonly role: "results"; readonly results: readonly CallResult[]; readonly path: string };

/** Which tools the model may or must call. */
export interface ToolChoice {
  /** Whether it may or must call: `required` is at least one call. */
  readonly mode: "auto" | "none" | "required";
  /** Only these; one of them with `required` is a named tool. */
  readonly names?: readonly string[];
}

/** What the text of the answer must be. */
export type AnswerFormat =
  | { readonly type: "json" }
  | {
      readonly type: "schema";
      readonly schema: JsonSchema;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** How hard the model is to think, from not at all to as hard as it can. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** What is asked of the model's reasoning. */
export interface ReasoningRequest {
  /** How hard. */
  readonly effort?: Effort;
  /** Most tokens of it. */
  readonly budget?: number;
  /** Whether the client wants to see it. */
  readonly shown?: boolean;
}

/** A request. What is absent was not said. */
export interface NeutralRequest {
  /** Which model is asked. */
  readonly model?: string;
  /** Whether the answer is to be streamed. */
  readonly stream: boolean;
  /** The client asked for token counts at the end of the stream (Chat, where they come only then). */
  readonly includeUsage?: boolean;
  /** Instructions that stand before the history. */
  readonly system: readonly string[];
  /** The history, in order. */
  readonly turns: readonly NeutralTurn[];
  /** The tools that the client runs. */
  readonly tools: readonly ToolDefinition[];
  /** Which of them the model may or must call. */
  readonly toolChoice?: ToolChoice;
  /** Whether it may make several calls at once. */
  readonly parallelCalls?: boolean;
  /** Most tokens of the answer. */
  readonly maxTokens?: number;
  /** How much chance there is in it. */
  readonly temperature?: number;
  /** Only the likeliest tokens that together are this likely. */
  readonly topP?: number;
  /** Only so many of the likeliest tokens. */
  readonly topK?: number;
  /** Against tokens that have come. */
  readonly presencePenalty?: number;
  /** Against tokens by how often they have come. */
  readonly frequencyPenalty?: number;
  /** For the same answer to the same request. */
  readonly seed?: number;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[];
  /** What its text must be. */
  readonly format?: AnswerFormat;
  /** How many words: OpenAI's `low`, `medium`, `high`. */
  readonly verbosity?: string;
  /** What is asked of the model's reasoning. */
  readonly reasoning?: ReasoningRequest;
  /** Who the end user is, in the client's own words. */
  readonly user?: string;
}

/** The schema of a custom tool's arguments where it goes as a function. */
export const TEXT_INPUT: JsonSchema = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** The object without what is undefined in it. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
