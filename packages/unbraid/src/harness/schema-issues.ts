// What is wrong with arguments, in one form for all judges: from ajv's errors and from Standard Schema's issues. Owns the
// plain words for each keyword of JSON Schema; bounds their number.

import { boundedJson } from "./bounded-json.ts";
import { inline } from "./excerpt.ts";
import { received } from "./received.ts";
import type { StandardIssue } from "./standard-schema.ts";
import type { SchemaIssue } from "./tool.ts";

/** As much of an error of ajv as is used here: https://ajv.js.org/api.html#error-objects */
export interface SchemaError {
  /** A JSON pointer to the value. */
  readonly instancePath: string;
  /** The keyword that failed. */
  readonly keyword: string;
  /** What the keyword says. */
  readonly params: Readonly<Record<string, unknown>>;
  /** ajv's words. */
  readonly message?: string | undefined;
}

/** Issues that are kept of one call; a model mends a few at a time. */
const MAX_ISSUES = 50;

/**
 * The issues that ajv's errors say.
 *
 * @param errors What a compiled schema left in `errors`.
 * @param args The arguments that were judged.
 */
export function issuesOf(errors: readonly SchemaError[], args: unknown): readonly SchemaIssue[] {
  const telling = errors.filter(({ keyword }) => !SUMMARIES.has(keyword));
  const kept = telling.length > 0 ? telling : errors;
  return kept.slice(0, MAX_ISSUES).map((error) => {
    const path = stepsOf(error.instancePath, args);
    switch (error.keyword) {
      case "required":
      case "dependentRequired":
      case "dependencies": {
        const missing = [...path, String(error.params["missingProperty"])];
        return { path: missing, expected: "a value, it is required", received: "nothing" };
      }
      case "additionalProperties":
      case "unevaluatedProperties": {
        const name = error.params["additionalProperty"] ?? error.params["unevaluatedProperty"];
        return { path: [...path, String(name)], expected: "nothing, there is no such property" };
      }
      default:
        return { path, expected: expectedBy(error), received: received(args, path) };
    }
  });
}

/** Keywords that only sum up what the errors of their parts say. */
const SUMMARIES = new Set(["if", "propertyNames"]);

/** UTF-16 units of a list of allowed values. */
const LISTED = 300;

function expectedBy({ keyword, params, message }: SchemaError): string {
  switch (keyword) {
    case "type":
      return String(params["type"]).replaceAll(",", " or ");
    case "enum": {
      const { text, cut } = boundedJson(params["allowedValues"], LISTED);
      return `one of ${cut ? `${text}…` : text}`;
    }
    case "const":
      return boundedJson(params["allowedValue"], LISTED).text;
    case "false schema":
      return "nothing";
    default:
      // "must be >= 1", "must match pattern …", "must NOT have fewer than 2 items"
      return inline((message ?? `what "${keyword}" says`).replace(/^must be /, "").replace(/\bNOT\b/, "not"), LISTED);
  }
}

/** The steps of a JSON pointer (RFC 6901); those into arrays are numbers. */
function stepsOf(pointer: string, args: unknown): (string | number)[] {
  let at = args;
  return pointer
    .split("/")
    .slice(1)
    .map((step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      const name = Array.isArray(at) ? Number(key) : key;
      at = typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
      return name;
    });
}

/**
 * The issues of a Standard Schema library.
 *
 * @param issues What `validate` gave.
 * @param args The arguments that were judged.
 */
export function issuesOfStandard(issues: readonly StandardIssue[], args: unknown): readonly SchemaIssue[] {
  return issues.slice(0, MAX_ISSUES).map(({ message, path }) => {
    // A library's path may be an array of a class of its own.
    const steps = [...(path ?? [])].map((step) => {
      const key = typeof step === "object" ? step.key : step;
      return typeof key === "symbol" ? String(key) : key;
    });
    return { path: steps, expected: inline(message, LISTED), received: received(args, steps) };
  });
}
