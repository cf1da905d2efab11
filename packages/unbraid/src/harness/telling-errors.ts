// Which of a judge's errors tell a model what to do. Owns the picking: of a union only the branch that was meant, and no
// error that merely sums up others.

import type { SchemaError } from "./schema-issues.ts";

/** Keywords that only sum up what the errors of their parts say. */
const SUMMARIES = new Set(["if", "propertyNames"]);

/** Unions that are looked into; each is compared with every error. */
const MAX_UNIONS = 20;

/**
 * The errors that are worth saying, in order.
 *
 * Of `anyOf` and `oneOf` every branch leaves its errors. Those of branches that were plainly not meant (another type,
 * another constant in a field such as `kind`) are left out while a branch remains; where none does, the types that the
 * branches want are said in one.
 *
 * @param errors What a compiled schema left in `errors`.
 */
export function tellingErrors(errors: readonly SchemaError[]): readonly SchemaError[] {
  const telling = errors.filter(({ keyword }) => !SUMMARIES.has(keyword));
  let kept = telling.length > 0 ? telling : errors;
  const unions = kept.filter(({ keyword, schemaPath }) => /^(?:any|one)Of$/.test(keyword) && schemaPath !== undefined);
  for (const union of unions.slice(0, MAX_UNIONS)) kept = withoutUnion(kept, union);
  return kept;
}

function withoutUnion(errors: readonly SchemaError[], union: SchemaError): readonly SchemaError[] {
  const branches = branchesOf(errors, union);
  if (branches.size === 0) return errors;
  const missed = [...branches.values()].filter((branch) => isMissed(branch, union)).flat();
  const all = missed.length === [...branches.values()].flat().length;
  const dropped = new Set<SchemaError>([union, ...(all ? [] : missed)]);
  if (all) {
    const types = missed.filter((error) => error.keyword === "type" && error.instancePath === union.instancePath);
    const [first, ...others] = types;
    for (const other of others) dropped.add(other);
    const wanted = [...new Set(types.map(({ params }) => String(params["type"])))].join(",");
    return errors
      .filter((error) => !dropped.has(error))
      .map((error) => (error === first ? { ...error, params: { type: wanted } } : error));
  }
  return errors.filter((error) => !dropped.has(error));
}

/** The errors of each branch, where they say by their place in the schema which one they are of. */
function branchesOf(errors: readonly SchemaError[], union: SchemaError): Map<string, SchemaError[]> {
  const branches = new Map<string, SchemaError[]>();
  for (const error of errors) {
    const branch = branchOf(error, union);
    if (branch === undefined) continue;
    const known = branches.get(branch);
    if (known === undefined) branches.set(branch, [error]);
    else known.push(error);
  }
  return branches;
}

/** A definition that is referred to: `#/$defs/Circle`. */
const DEFINITION = /^#\/(?:\$defs|definitions)\/[^/]+\//;

/** The number of the branch; of a branch that is a reference, the place that it refers to. */
function branchOf({ schemaPath = "", instancePath }: SchemaError, union: SchemaError): string | undefined {
  const within = `${union.schemaPath}/`;
  if (schemaPath.startsWith(within)) return schemaPath.slice(within.length).split("/", 1)[0];
  if (!`${instancePath}/`.startsWith(`${union.instancePath}/`)) return undefined;
  const [definition] = DEFINITION.exec(schemaPath) ?? [];
  return definition === undefined || within.startsWith(definition) ? undefined : definition;
}

/** Whether a branch wants another type, or another constant in the value or in one of its fields. */
function isMissed(branch: readonly SchemaError[], { instancePath }: SchemaError): boolean {
  return branch.some(({ keyword, instancePath: at }) => {
    if (keyword === "type") return at === instancePath;
    const isField = at.startsWith(`${instancePath}/`) && !at.slice(instancePath.length + 1).includes("/");
    return (keyword === "const" || keyword === "enum") && (at === instancePath || isField);
  });
}
