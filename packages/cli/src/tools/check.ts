// Calls against the declared tools. Owns what `--tools` adds: which calls are known and valid, and what is said of those
// that are not.

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ToolCall } from "unbraid";
import { issuesOf, type SchemaIssue } from "unbraid/harness";
import { messageOf, Misuse } from "../failure.ts";
import { isClientCall } from "../report/calls-table.ts";
import type { Tool } from "./declared.ts";

/** What is wrong with a call, seen from its tool. */
export interface ToolDiagnostic {
  readonly code: "unknown-tool" | "missing-required-arguments" | "invalid-arguments";
  /** Plain words. */
  readonly message: string;
  /** The key of the call. */
  readonly call: string;
  /** JSON pointers of the fields that are missing. */
  readonly missing?: readonly string[];
  /** What else does not fit, by JSON pointer. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** As much of a call as is checked. */
export type CheckedCall = Pick<ToolCall, "key" | "kind" | "name" | "arguments">;

/** Checks calls against tools. */
export class ToolCheck {
  readonly tools: readonly Tool[];
  readonly #validators: ReadonlyMap<string, ValidateFunction | undefined>;

  /**
   * @param tools The declared tools; of two with one name the later counts.
   * @throws Misuse where a schema is none.
   */
  constructor(tools: readonly Tool[]) {
    this.tools = tools;
    this.#validators = new Map(tools.map((tool) => [tool.name, validatorOf(tool)]));
  }

  /** What is wrong with some calls. */
  all(calls: readonly ToolCall[]): readonly ToolDiagnostic[] {
    return calls.flatMap((call) => this.check(call));
  }

  /** What is wrong with a call; nothing is said of the arguments of a call that is not complete. */
  check(call: CheckedCall): readonly ToolDiagnostic[] {
    if (!isClientCall(call)) return [];
    if (!this.#validators.has(call.name)) {
      const message = `No tool "${call.name}" is declared${namesOf(this.tools)}.`;
      return [{ code: "unknown-tool", message, call: call.key }];
    }
    const validate = this.#validators.get(call.name);
    if (validate === undefined || call.arguments === null) return [];
    return verdict(call, validate);
  }

  /** What is wrong with a tool's arguments, as the model is told. */
  issues(name: string, args: unknown): readonly SchemaIssue[] {
    const validate = this.#validators.get(name);
    if (validate === undefined) return [];
    try {
      return validate(args) ? [] : issuesOf(validate.errors ?? [], args);
    } catch (error) {
      // Validation goes as deep as the value does.
      if (!(error instanceof RangeError)) throw error;
      return [TOO_DEEP];
    }
  }
}

/** What is said of arguments that are nested deeper than the judge goes. */
const TOO_DEEP: SchemaIssue = { path: [], expected: "less nesting" };

/** Names that are listed when a name is unknown. */
const MAX_NAMES = 8;

function namesOf(tools: readonly Tool[]): string {
  if (tools.length === 0) return "";
  const names = tools.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = tools.length > MAX_NAMES ? ` and ${tools.length - MAX_NAMES} more` : "";
  return `; declared are ${names.join(", ")}${more}`;
}

const AJV = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;

/** A validator for a tool's schema. Schemas that say nothing are read as draft 2020-12, as MCP does, then as draft 7. */
function validatorOf({ name, parameters }: Tool): ValidateFunction | undefined {
  if (parameters === undefined) return undefined;
  if (typeof parameters !== "object" && typeof parameters !== "boolean")
    throw new Misuse(`the schema of the tool "${name}" is no object; write a JSON Schema`);
  const schema = plainSchema(parameters) as object | boolean;
  try {
    return new Ajv2020(AJV).compile(schema);
  } catch (first) {
    try {
      return new Ajv(AJV).compile(schema);
    } catch {
      const [line] = messageOf(first).split("\n");
      throw new Misuse(`the schema of the tool "${name}" is not JSON Schema: ${line}`, { cause: first });
    }
  }
}

/** Keys of a schema whose values are data, not schemas. */
const DATA = new Set(["enum", "const", "default", "example", "examples"]);

/**
 * The schema without what only names its dialect, and Gemini's spelling brought to the standard one: types in capitals,
 * `nullable` (https://ai.google.dev/api/caching#Schema).
 */
function plainSchema(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => plainSchema(item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (isMap) return [[key, plainSchema(item)]];
    if (key === "$schema" || key === "nullable" || key === "$id") return [];
    if (DATA.has(key)) return [[key, item]];
    if (key === "type") return [[key, plainType(item, (value as { nullable?: unknown }).nullable === true)]];
    return [[key, plainSchema(item, MAPS.has(key))]];
  });
  return Object.fromEntries(entries);
}

/** Keys of a schema whose values map names of the user's to schemas. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);

function plainType(type: unknown, nullable: boolean): unknown {
  if (Array.isArray(type)) return type.map((one: unknown) => (typeof one === "string" ? one.toLowerCase() : one));
  if (typeof type !== "string") return type;
  return nullable ? [type.toLowerCase(), "null"] : type.toLowerCase();
}

function verdict(call: CheckedCall, validate: ValidateFunction): readonly ToolDiagnostic[] {
  let errors: readonly ErrorObject[];
  try {
    errors = validate(call.arguments) ? [] : (validate.errors ?? []);
  } catch (error) {
    // Validation goes as deep as the value does.
    if (!(error instanceof RangeError)) throw error;
    const message = "The arguments are nested too deep to be checked.";
    return [{ code: "invalid-arguments", message, call: call.key, errors: [{ path: "", message }] }];
  }
  const missing = errors.filter(({ keyword }) => keyword === "required").map(pathOfMissing);
  const others = errors
    .filter(({ keyword }) => keyword !== "required")
    .map(({ instancePath, message = "does not fit" }) => ({ path: instancePath, message }));
  return [
    ...(missing.length === 0 ? [] : [missingDiagnostic(call, missing)]),
    ...(others.length === 0 ? [] : [invalidDiagnostic(call, others)]),
  ];
}

function pathOfMissing({ instancePath, params }: ErrorObject): string {
  const name = String((params as { missingProperty?: unknown }).missingProperty);
  return `${instancePath}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function missingDiagnostic(call: CheckedCall, missing: readonly string[]): ToolDiagnostic {
  const names = missing.map((path) => (path.lastIndexOf("/") === 0 ? path.slice(1) : path)).join(", ");
  const message = `${call.name} needs ${names}, which the call does not give.`;
  return { code: "missing-required-arguments", message, call: call.key, missing };
}

function invalidDiagnostic(call: CheckedCall, errors: readonly { path: string; message: string }[]): ToolDiagnostic {
  const words = errors.slice(0, 3).map(({ path, message }) => `${path === "" ? "the arguments" : path} ${message}`);
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : "";
  return { code: "invalid-arguments", message: `${call.name}: ${words.join("; ")}${more}.`, call: call.key, errors };
}
