// npm run build
//
// Compiles the packages into their dist folders. Only what has changed is compiled, and what no longer has a source
// is removed.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { packages } from "./packages.mjs";
import { fail, prepare, root, run, timed } from "./toolchain.mjs";

/** What the compiler makes of one source file. */
const made = /\.(?:js|d\.ts)(?:\.map)?$/;

/** Removes from every dist folder the files whose source is gone: the compiler leaves them behind. */
function prune() {
  for (const { folder } of packages) {
    const home = join(root, folder);
    const dist = join(home, "dist");
    if (!existsSync(dist)) continue;
    for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !made.test(entry.name)) continue;
      const source = join(home, "src", relative(dist, entry.parentPath), entry.name.replace(made, ".ts"));
      if (!existsSync(source)) rmSync(join(entry.parentPath, entry.name));
    }
  }
}

/**
 * Compiles all packages.
 *
 * @param {NodeJS.ProcessEnv} env from `prepare()`
 * @returns {Promise<{ status: number, output: string }>}
 */
export async function build(env) {
  const result = await timed(
    "building",
    () => run("tsc", ["--build", "tsconfig.build.json"], { env }),
    ({ status }) => (status === 0 ? "ok" : "failed"),
  );
  prune();
  return result;
}

/**
 * Makes everything ready and compiles; ends the program when that fails.
 *
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function prepareAndBuild() {
  const env = await prepare();
  const { status, output } = await build(env);
  if (status !== 0) fail(output);
  return env;
}

const isMain = import.meta.url === pathToFileURL(resolve(process.argv[1] ?? "")).href;
if (isMain) await prepareAndBuild();
