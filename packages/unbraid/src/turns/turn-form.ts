// How one vendor takes a turn back: tool definitions, the assistant's answer as it must be echoed, and results. Owns the
// contract; the forms are one file each beside it.

import type { ToolCall, WireVariant } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import type { Answer } from "./answer.ts";
import type { ContentPart } from "./content.ts";

/** A JSON Schema document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the text of a custom tool may look like: any text, or OpenAI's grammars. */
export type CustomFormat =
  | { readonly type: "text" }
  | { readonly type: "grammar"; readonly syntax: "lark" | "regex"; readonly definition: string };

/** A tool as a request declares it. */
export interface ToolDefinition {
  /** The tool's name. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** The JSON Schema of its arguments, an object's. */
  readonly parameters: JsonSchema;
  /** Ask the vendor to hold the model to the schema, where it can. */
  readonly strict?: boolean;
  /**
   * There where the tool takes free text. A vendor with custom tools gets it as one; any other gets a function with
   * `parameters`, which are then an object with one text, `input`.
   */
  readonly custom?: CustomFormat;
}

/** The answer to one call. */
export interface CallResult {
  /** The call that it answers. */
  readonly call: ToolCall;
  /** What the tool gave, or the words of a corrective result. */
  readonly content: readonly ContentPart[];
  /** True where the call did not do what it asked for. */
  readonly isError?: true;
  /**
   * Of a call of the kind `mcp-approval`: whether the vendor may run it; anything but true refuses, and the content says
   * why. Of a call to a computer with pending safety checks: true acknowledges them.
   */
  readonly approve?: boolean;
}

/** What a request is made of, before any vendor's form. */
export interface RequestParts {
  /** Instructions that stand before the history. */
  readonly system?: string;
  /** The history, in the vendor's own messages. */
  readonly messages: readonly unknown[];
  /** The tools to declare. */
  readonly tools?: readonly ToolDefinition[];
}

/** The forms, by name: the protocol, and its variant where it is not the vendor's first. */
export type TurnFormName =
  | ProtocolName
  | "openai-realtime/live"
  | "gemini/interactions"
  | "gemini/live"
  | "bedrock/invoke-anthropic"
  | "bedrock/invoke-openai"
  | "mistral/conversations";

/**
 * One vendor's form of a turn. Messages are the vendor's own request objects as they stand in the JSON of a request
 * (items on Responses, steps on Interactions, entries on Conversations; on sockets the messages that the client sends),
 * ready to be put at the end of a history. What an official SDK spells otherwise is brought to its spelling by `forSdk`.
 */
export interface TurnForm {
  /** The form's name in `turnForms`. */
  readonly name: TurnFormName;
  /** The wire it answers. */
  readonly protocol: ProtocolName;
  /** The variant of that wire; absent for the vendor's first. */
  readonly variant?: WireVariant;
  /** Whether what `assistant` and `results` give is one message at most, or a list of items. */
  readonly shape: { readonly assistant: "message" | "items"; readonly results: "message" | "items" };
  /**
   * The tool definitions, as the request's `tools` takes them.
   *
   * @throws TypeError for a name that the vendor refuses, or one that comes twice.
   */
  readonly tools: (definitions: readonly ToolDefinition[]) => readonly unknown[];
  /**
   * The assistant's answer as the vendor wants it echoed: ids verbatim, signatures and parts in their places, what the
   * vendor ran with what it gave. Of the client's calls those that are `pending`, each in a shape that the vendor accepts,
   * whatever the model wrote: arguments that are no JSON object are held by an object with the one key
   * `invalid_arguments`.
   *
   * @returns Nothing where the answer holds nothing that can be echoed.
   */
  readonly assistant: (answer: Answer) => readonly unknown[];
  /**
   * The results of an answer's calls, in the order of the calls whatever order they are given in. What a vendor does not
   * take in a result is sent in a message behind the results where it takes it there, and named in words where it does not.
   *
   * @param results One for each pending call.
   * @param answer The answer: with it, a call without a result is refused, and what depends on the model is known.
   * @throws TypeError for two results for one call, for a result of a call that the vendor runs, and, with `answer`, for a
   *   pending call without a result or a result for another call: such a history would be refused for ever after.
   */
  readonly results: (results: readonly CallResult[], answer?: Answer) => readonly unknown[];
  /** A message of the user's. */
  readonly user: (content: readonly ContentPart[]) => readonly unknown[];
  /**
   * Instructions, history and tools as fields of the vendor's request body; on sockets instructions and tools as fields
   * of the session (Realtime) or of the set-up (Live), whose messages are sent one by one.
   *
   * @throws TypeError as `tools` does.
   */
  readonly request: (parts: RequestParts) => Readonly<Record<string, unknown>>;
}
