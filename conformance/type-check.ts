// Values written out as TypeScript and checked by the compiler, excess properties and all. Owns the writing and the
// compiling; which types are right is the tests' matter.

import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A value, its type in TypeScript, and what it is, for people. */
export interface TypedValue {
  readonly of: string;
  readonly type: string;
  readonly value: unknown;
}

/** What the compiler says of one value. */
export interface TypeFault {
  readonly of: string;
  readonly words: string;
}

/** A value as the source of an expression. */
function literal(value: unknown): string {
  if (value instanceof Uint8Array) return `new Uint8Array([${value.join()}])`;
  if (Array.isArray(value)) return `[${value.map(literal).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${literal(inner)}`)
    .join()}}`;
}

/**
 * Checks values against types.
 *
 * @param name Tells this check's files from others'.
 * @param prelude Imports, and types of the test's own.
 */
export async function typeFaults(
  name: string,
  prelude: string,
  values: readonly TypedValue[],
): Promise<readonly TypeFault[]> {
  // Inside node_modules, where the SDKs are found and nothing else looks.
  const folder = join(root, `node_modules/.cache/unbraid-${name}-${process.pid}`);
  const head = `${prelude.trim()}\n`;
  const lines = values.map(({ type, value }, at) => `export const v${at}: ${type} = ${literal(value)};`);
  const settings = {
    extends: join(root, "tsconfig.check.json"),
    compilerOptions: { rootDir: ".", incremental: false },
    files: ["values.ts"],
  };
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "values.ts"), head + lines.join("\n"));
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
      maxBuffer: 1 << 28,
    }).catch((error: unknown) => error as { stdout: string });
    const offset = head.split("\n").length;
    return stdout.split("\n").flatMap((text) => {
      const [, at] = /values\.ts\((\d+),\d+\): error/.exec(text) ?? [];
      if (at === undefined) return [];
      return [{ of: values[Number(at) - offset]?.of ?? "the prelude", words: text.slice(text.indexOf("error")) }];
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
