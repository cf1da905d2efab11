// The two interfaces by which schema libraries (zod, arktype, valibot and others) can be used without knowing them: that
// of values and that of JSON Schema, version 1 of https://standardschema.dev. Owns types only; a library's own schema
// fits them by its shape.

/** A schema of any library: it judges a value and gives it in its output type. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface's own corner of the library's object. */
  readonly "~standard": StandardSchemaProperties<Input, Output>;
}

/** What stands under `~standard`. */
export interface StandardSchemaProperties<Input = unknown, Output = Input> {
  /** The interface's version. */
  readonly version: 1;
  /** The library's name. */
  readonly vendor: string;
  /** Judges a value. */
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** Carries the types; nothing at run time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Writes the schema as JSON Schema, in libraries that can. */
  readonly jsonSchema?: StandardJsonSchema | undefined;
}

/** Writes a schema as JSON Schema. Either may throw where the schema has no such form. */
export interface StandardJsonSchema {
  /** The schema of what goes in: what a model must write. */
  readonly input: (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>;
  /** The schema of what comes out. */
  readonly output: (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>;
}

/** What a schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** The library's own words. */
  readonly message: string;
  /** Where, from the root; absent for the whole. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of what a schema lets through. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];
