// What a tool is. Owns the contract, `tool()` and `customTool()`; knows no vendor and runs nothing.

import type { ToolCall } from "../events.ts";
import type { CustomFormat, JsonSchema } from "../turns/turn-form.ts";
import { JsonSchemaCheck } from "./json-schema.ts";
import { issuesOfStandard } from "./schema-issues.ts";
import type { StandardOutput, StandardSchema } from "./standard-schema.ts";
import { checkedSettings } from "./tool-settings.ts";

/** What a tool gets beside its arguments. */
export interface ToolContext {
  /** Aborted when the run is, when the tool's time is over, when its call was taken back, or when its claim was lost. */
  readonly signal: AbortSignal;
  /** The call. */
  readonly call: ToolCall;
  /** Counts from 1. Above it another worker had begun the call and was lost: what it did may have been done already. */
  readonly attempt: number;
}

/**
 * What a tool may return: text; content parts, alone or as `{ content, isError }`; an MCP `CallToolResult`; or any other
 * value, which the model gets as its JSON text. Or a promise of one of these.
 */
export type ToolOutput = unknown;

/** One thing that is wrong with arguments. */
export interface SchemaIssue {
  /** Where, as keys and indexes from the root. */
  readonly path: readonly (string | number)[];
  /** What was expected, in plain words: `string`, `one of ["a","b"]`. */
  readonly expected: string;
  /** True where `expected` is a whole sentence of the schema's library, such as `must not have duplicate items`. */
  readonly sentence?: true;
  /** What came, short. */
  readonly received?: string;
}

/** What a schema says of arguments. */
export type Validation<Input = unknown> =
  | { readonly ok: true; readonly value: Input }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** How a tool may be run. */
export interface ToolSettings {
  /** After how many milliseconds it is stopped; 0 for never. Default: the dispatch's own. */
  readonly timeoutMs?: number;
  /** May run beside other calls. Default true. */
  readonly parallel?: boolean;
  /** May start as soon as its call is closed, before the response has ended. Default false. */
  readonly early?: boolean;
  /** Running it twice does no harm, so that an expired claim may be taken over. Default false. */
  readonly repeatable?: boolean;
}

/**
 * A tool, whatever its schema was written in. Its methods take what they are given by `tool()`'s types; a list of tools
 * with different ones is a `readonly Tool[]`.
 */
export interface Tool<Input = unknown> extends ToolSettings {
  /** The name that the model calls. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** The JSON Schema for the request. */
  readonly parameters: JsonSchema;
  /** Ask the vendor to hold the model to the schema, where it can. */
  readonly strict?: boolean;
  /**
   * There where the tool takes free text: OpenAI's custom tools. Its arguments are a string. To vendors without such
   * tools it is declared by `parameters`, an object with one text.
   */
  readonly custom?: CustomFormat;
  /** Loads and compiles what judging needs. Rejects with a TypeError where the schema cannot be used. */
  prepare?(): Promise<void>;
  /** Judges arguments, and gives them in the schema's output type. */
  validate(args: unknown): Validation<Input> | Promise<Validation<Input>>;
  /** Runs it. */
  execute(args: Input, context: ToolContext): ToolOutput;
  /** Whether a person must say yes first. */
  needsApproval?(args: Input, call: ToolCall): boolean | Promise<boolean>;
}

/** The type of what a schema lets through: a library's own output type, or an object of unknown values. */
export type ArgumentsOf<Schema> = Schema extends StandardSchema
  ? StandardOutput<Schema>
  : Readonly<Record<string, unknown>>;

/** What `tool()` takes. */
export interface ToolOptions<Schema extends StandardSchema | JsonSchema> extends ToolSettings {
  /** The name that the model calls: letters, digits, `_` and `-`, at most 64, the first no digit or `-`. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** What it takes: a schema of zod, arktype, valibot or another library of Standard Schema, or plain JSON Schema. */
  readonly schema: Schema;
  /** The JSON Schema for the request, where `schema`'s library cannot write it (valibot) or writes it too loosely. */
  readonly parameters?: JsonSchema;
  /** Ask the vendor to hold the model to the schema, where it can. */
  readonly strict?: boolean;
  /** Runs it. What it throws goes to the model as its message, with secrets masked; see {@link ToolError}. */
  execute(args: ArgumentsOf<Schema>, context: ToolContext): ToolOutput;
  /** Whether a person must say yes first. Default false. */
  readonly needsApproval?: boolean | ((args: ArgumentsOf<Schema>, call: ToolCall) => boolean | Promise<boolean>);
}

/**
 * Makes a tool.
 *
 * Plain JSON Schema (2020-12 or draft-07) is checked with ajv, an optional peer that is loaded when it is
 * first needed; `format` is not judged.
 *
 * @throws TypeError where the name is none that vendors take, where the schema's library writes no JSON Schema and
 * `parameters` is missing, or where a setting makes no sense.
 * @example
 * const weather = tool({
 *   name: "weather",
 *   description: "The weather in a city",
 *   schema: z.object({ city: z.string() }),
 *   execute: ({ city }) => forecast(city),
 * });
 */
export function tool<const Schema extends StandardSchema | JsonSchema>(
  options: ToolOptions<Schema>,
): Tool<ArgumentsOf<Schema>> {
  const { name, schema } = options;
  const settings = checkedSettings(options);
  const judge = isStandard(schema) ? standardJudge(schema) : jsonJudge(name, schema);
  return {
    ...settings,
    ...approvalOf(options.needsApproval),
    parameters: objectSchema(name, options.parameters ?? jsonSchemaOf(name, schema)),
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    ...(judge as Pick<Tool<ArgumentsOf<Schema>>, "prepare" | "validate">),
    execute: (args, context) => options.execute(args, context),
  };
}

/** What `customTool()` takes. */
export interface CustomToolOptions extends ToolSettings {
  /** The name that the model calls. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** What text may look like: OpenAI's grammars. Default any text. */
  readonly format?: CustomFormat;
  /** Runs it. */
  execute(text: string, context: ToolContext): ToolOutput;
  /** Whether a person must say yes first. Default false. */
  readonly needsApproval?: boolean | ((text: string, call: ToolCall) => boolean | Promise<boolean>);
}

/**
 * Makes a tool that takes free text, no JSON: OpenAI's custom tools. For vendors without them it is declared as a
 * function with one text, `input`.
 *
 * @throws TypeError as {@link tool} does.
 * @example
 * const sql = customTool({ name: "sql", execute: (text) => query(text) });
 */
export function customTool(options: CustomToolOptions): Tool<string> {
  return {
    ...checkedSettings(options),
    ...approvalOf(options.needsApproval),
    parameters: TEXT_PARAMETERS,
    custom: options.format ?? { type: "text" },
    validate: (args) => {
      if (typeof args === "string") return { ok: true, value: args };
      const input: unknown = isRecord(args) && Object.hasOwn(args, "input") ? args["input"] : undefined;
      if (typeof input === "string") return { ok: true, value: input };
      return { ok: false, issues: [{ path: ["input"], expected: "string" }] };
    },
    execute: (text, context) => options.execute(text, context),
  };
}

const TEXT_PARAMETERS: JsonSchema = {
  type: "object",
  properties: { input: { type: "string", description: "The text that the tool takes." } },
  required: ["input"],
  additionalProperties: false,
};

function standardJudge(schema: StandardSchema): Pick<Tool, "validate"> {
  const judged = (result: Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>, args: unknown): Validation =>
    result.issues === undefined
      ? { ok: true, value: result.value }
      : { ok: false, issues: issuesOfStandard(result.issues, args) };
  return {
    validate: async (args) => {
      try {
        return judged(await schema["~standard"].validate(args), args);
      } catch (error) {
        // A recursive schema is followed as deep as the value goes.
        if (!(error instanceof RangeError)) throw error;
        return { ok: false, issues: [{ path: [], expected: "less nesting" }] };
      }
    },
  };
}

function jsonJudge(name: string, schema: JsonSchema): Pick<Tool, "prepare" | "validate"> {
  const check = new JsonSchemaCheck(name, schema);
  return { prepare: () => check.prepare(), validate: (args) => check.validate(args) };
}

function approvalOf<Input>(
  needed: boolean | ((args: Input, call: ToolCall) => boolean | Promise<boolean>) | undefined,
): Pick<Tool<Input>, "needsApproval"> {
  if (needed === undefined || needed === false) return {};
  return { needsApproval: needed === true ? () => true : needed };
}

/** The JSON Schema of what a model must write. */
function jsonSchemaOf(name: string, schema: StandardSchema | JsonSchema): JsonSchema {
  if (!isStandard(schema)) return schema;
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined)
    throw new TypeError(
      `tool "${name}": a schema of ${vendor} cannot be written as JSON Schema, which the model needs; give it in \`parameters\``,
    );
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(
      `tool "${name}": ${vendor} cannot write this schema as JSON Schema (${reason}); give it in \`parameters\``,
      { cause: error },
    );
  }
}

/** Arguments are an object at every vendor. */
function objectSchema(name: string, schema: JsonSchema): JsonSchema {
  if (!isRecord(schema)) throw new TypeError(`tool "${name}": the schema must be an object, a JSON Schema`);
  const { type } = schema as { type?: unknown };
  if (type !== undefined && type !== "object")
    throw new TypeError(`tool "${name}": the schema must be that of an object, not of type ${JSON.stringify(type)}`);
  return schema;
}

/** A library's schema may be a function, as arktype's are. */
function isStandard(schema: StandardSchema | JsonSchema): schema is StandardSchema {
  return (
    ((typeof schema === "object" && schema !== null) || typeof schema === "function") &&
    typeof (schema as Partial<StandardSchema>)["~standard"] === "object"
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
