// Plain JSON Schema as a judge of arguments. Owns the loading of ajv, which only those need who write plain JSON Schema,
// and its settings: arguments are hostile, the schema is the user's own.

import type { JsonSchema } from "../turns/turn-form.ts";
import type { SchemaIssue, Validation } from "./tool.ts";
import { issuesOf, type SchemaError } from "./schema-issues.ts";

/** A compiled schema, as ajv gives it. */
interface Validate {
  (value: unknown): unknown;
  errors?: readonly SchemaError[] | null | undefined;
}

/** As much of an ajv instance as is used here. */
interface Compiler {
  compile(schema: JsonSchema): Validate;
  removeSchema(schema: JsonSchema): unknown;
}

/**
 * Nothing is written into arguments (no defaults, no coercion, nothing removed). Formats are hints and are not judged.
 */
const SETTINGS = { strict: false, validateFormats: false, logger: false } as const;

/** The drafts that are understood, and where ajv keeps each. */
type Draft = "draft-07" | "2020-12";

/** Arguments with more values than this are judged to the first fault only, so that a million faults are not listed. */
const MANY_VALUES = 2_000;

/** A schema that is compiled when it is first needed, once. */
export class JsonSchemaCheck {
  readonly #schema: JsonSchema;
  readonly #tool: string;
  #ready: Promise<Compiled> | undefined;

  /**
   * @param tool The tool's name, for messages.
   * @param schema JSON Schema, draft-07 or 2020-12.
   */
  constructor(tool: string, schema: JsonSchema) {
    this.#tool = tool;
    this.#schema = schema;
  }

  /**
   * Loads ajv and compiles the schema.
   *
   * @throws TypeError (by rejecting) where ajv is not installed or the schema is none.
   */
  async prepare(): Promise<void> {
    await this.#compiled();
  }

  /** Judges arguments. Rejects as {@link prepare} does. */
  async validate(args: unknown): Promise<Validation<Readonly<Record<string, unknown>>>> {
    const { all, first } = await this.#compiled();
    const validate = hasManyValues(args) ? first : all;
    try {
      if (validate(args) === true) return { ok: true, value: args as Readonly<Record<string, unknown>> };
      return { ok: false, issues: issuesOf(validate.errors ?? [], args) };
    } catch (error) {
      // A recursive schema is followed as deep as the value goes.
      if (!(error instanceof RangeError)) throw error;
      return { ok: false, issues: [TOO_DEEP] };
    }
  }

  async #compiled(): Promise<Compiled> {
    this.#ready ??= compile(this.#tool, this.#schema);
    return this.#ready;
  }
}

const TOO_DEEP: SchemaIssue = { path: [], expected: "less nesting" };

type Compiled = Readonly<Record<"all" | "first", Validate>>;

async function compile(tool: string, schema: JsonSchema): Promise<Compiled> {
  const drafts = draftsOf(tool, schema);
  const { $async } = schema as { $async?: unknown };
  if ($async !== undefined) throw new TypeError(`tool "${tool}": a schema with $async cannot be used; leave it out`);
  let failure: unknown;
  for (const draft of drafts) {
    // The specification wants patterns that are valid with the flag `u`; schemas in the wild also have others: `\@`.
    for (const unicodeRegExp of [true, false]) {
      const reading = { draft, unicodeRegExp };
      const compilers = await (namesItself(schema) ? load(reading, tool) : compilersFor(reading, tool));
      try {
        return { all: compileWith(compilers.all, schema), first: compileWith(compilers.first, schema) };
      } catch (error) {
        if (error instanceof EvalError) throw new TypeError(`tool "${tool}": ${NO_CODE}`, { cause: error });
        failure ??= error;
      }
    }
  }
  const [line] = (failure instanceof Error ? failure.message : String(failure)).split("\n");
  throw new TypeError(`tool "${tool}": its schema is no JSON Schema (${drafts[0]}): ${line}`, { cause: failure });
}

const NO_CODE =
  "plain JSON Schema is checked with ajv, which makes code at run time, and this runtime forbids that; give a schema of zod, arktype or another library of Standard Schema";

/**
 * Whether any part of a schema has an `$id`. A compiler keeps those for ever, so that a tool of one server could change
 * what the schema of another refers to: such a schema gets compilers of its own.
 */
function namesItself(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"$id"');
}

/** A compiler that is shared would otherwise hold every schema for ever. */
function compileWith(compiler: Compiler, schema: JsonSchema): Validate {
  try {
    return compiler.compile(schema);
  } finally {
    compiler.removeSchema(schema);
  }
}

/** MCP and today's vendors take a schema that does not say its draft for 2020-12; many were written for draft-07. */
function draftsOf(tool: string, schema: JsonSchema): readonly [Draft, ...Draft[]] {
  const { $schema } = schema as { $schema?: unknown };
  if ($schema === undefined) return ["2020-12", "draft-07"];
  if (typeof $schema === "string") {
    if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test($schema)) return ["2020-12"];
    if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test($schema)) return ["draft-07"];
  }
  throw new TypeError(
    `tool "${tool}": $schema ${JSON.stringify($schema)} is not known; write draft-07 or 2020-12 (the default)`,
  );
}

type Compilers = Readonly<Record<"all" | "first", Compiler>>;
const loaded = new Map<string, Promise<Compilers>>();

/** How a schema is read. */
interface Reading {
  readonly draft: Draft;
  /** Patterns have the flag `u`. */
  readonly unicodeRegExp: boolean;
}

/** One pair of compilers a reading: making one compiles the draft's own schema, which takes milliseconds. */
function compilersFor(reading: Reading, tool: string): Promise<Compilers> {
  const name = `${reading.draft} ${reading.unicodeRegExp}`;
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = load(reading, tool);
  loaded.set(name, loading);
  // What was not there may be installed later, in a process that goes on.
  loading.catch(() => loaded.delete(name));
  return loading;
}

async function load({ draft, unicodeRegExp }: Reading, tool: string): Promise<Compilers> {
  let Ajv: new (settings: object) => Compiler;
  try {
    Ajv = draft === "draft-07" ? (await import("ajv")).Ajv : (await import("ajv/dist/2020.js")).Ajv2020;
  } catch (error) {
    throw new TypeError(
      `tool "${tool}": plain JSON Schema is checked with ajv, which is not installed: run "npm install ajv", or give a schema of zod, arktype or another library of Standard Schema`,
      { cause: error },
    );
  }
  const settings = { ...SETTINGS, unicodeRegExp };
  return { all: new Ajv({ ...settings, allErrors: true }), first: new Ajv(settings) };
}

/** Counts without going down by recursion, and no further than needed. */
function hasManyValues(value: unknown): boolean {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += inner.length;
    if (count > MANY_VALUES) return true;
    for (const item of inner) open.push(item);
  }
  return false;
}
