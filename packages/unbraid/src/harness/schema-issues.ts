// What is wrong with arguments, in one form for all judges: from ajv's errors and from Standard Schema's issues. Owns the
// plain words for each keyword of JSON Schema; bounds their number.

import { boundedJson } from "./bounded-json.ts";
import { inline } from "./excerpt.ts";
import { received } from "./received.ts";
import type { StandardIssue } from "./standard-schema.ts";
import { tellingErrors } from "./telling-errors.ts";
import type { SchemaIssue } from "./tool.ts";

/** As much of an error of ajv as is used here: https://ajv.js.org/api.html#error-objects */
export interface SchemaError {
  /** A JSON pointer to the value. */
  readonly instancePath: string;
  /** Where the keyword stands in the schema, as a JSON pointer. */
  readonly schemaPath?: string | undefined;
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
 * The issues that ajv's errors say, in the words that corrective results have.
 *
 * @param errors What a compiled schema left in `errors`.
 * @param args The arguments that were judged.
 * @example
 * if (!validate(args)) return { ok: false, issues: issuesOf(validate.errors ?? [], args) };
 */
export function issuesOf(errors: readonly SchemaError[], args: unknown): readonly SchemaIssue[] {
  return tellingErrors(errors)
    .slice(0, MAX_ISSUES)
    .map((error) => {
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
          return { path, ...expectedBy(error), received: received(args, path) };
      }
    });
}

/** UTF-16 units of a list of allowed values. */
const LISTED = 300;

function expectedBy({ keyword, params, message }: SchemaError): Pick<SchemaIssue, "expected" | "sentence"> {
  switch (keyword) {
    case "type":
      return { expected: String(params["type"]).replaceAll(",", " or ") };
    case "enum": {
      const { text, cut } = boundedJson(params["allowedValues"], LISTED);
      return { expected: `one of ${cut ? `${text}…` : text}` };
    }
    case "const":
      return { expected: boundedJson(params["allowedValue"], LISTED).text };
    case "false schema":
      return { expected: "nothing" };
    case "uniqueItems": {
      const places = [Number(params["i"]), Number(params["j"])].toSorted((a, b) => a - b);
      return { expected: `must not have the same item twice, as at ${places.join(" and ")}`, sentence: true };
    }
    default: {
      // "must be >= 1", "must match pattern …", "must NOT have fewer than 2 items"
      const words = inline((message ?? `what "${keyword}" says`).replace(/\bNOT\b/, "not"), LISTED);
      const named = words.replace(/^must be /, "");
      return named !== words || message === undefined ? { expected: named } : { expected: words, sentence: true };
    }
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
  return issues.slice(0, MAX_ISSUES).map((issue) => {
    const { path } = issue;
    // A library's path may be an array of a class of its own.
    const steps = [...(path ?? [])].map((step) => {
      const key = typeof step === "object" ? step.key : step;
      return typeof key === "symbol" ? String(key) : key;
    });
    return { path: steps, expected: inline(wordsOf(issue), LISTED), sentence: true, received: received(args, steps) };
  });
}

/** Of a union zod says only that no branch fits; what each branch says stands in `errors`, which is of zod's own. */
function wordsOf(issue: StandardIssue): string {
  const { errors } = issue as { errors?: unknown };
  if (!Array.isArray(errors)) return issue.message;
  const said = errors.flatMap((branch: unknown) => {
    const [first] = Array.isArray(branch) ? (branch as readonly StandardIssue[]) : [];
    if (typeof first?.message !== "string") return [];
    const at = (first.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".");
    return [at === "" ? first.message : `${at}: ${first.message}`];
  });
  return said.length === 0 ? issue.message : [...new Set(said)].join(", or ");
}
