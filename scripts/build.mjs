// npm run build
//
// Compiles the packages into their dist folders, and the inspector's page. Only what has changed is made anew, and what no
// longer has a source is removed.

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { packages } from "./packages.mjs";
import { fail, prepare, root, run, timed } from "./toolchain.mjs";

/** What the compiler makes of one source file. */
const compiled = /\.(?:js|d\.ts)(?:\.map)?$/;

/** Removes from every dist folder the files whose source is gone: the compiler leaves them behind. */
function prune() {
  for (const { folder } of packages) {
    const home = join(root, folder);
    const dist = join(home, "dist");
    if (!existsSync(dist)) continue;
    for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !compiled.test(entry.name)) continue;
      const source = join(home, "src", relative(dist, entry.parentPath), entry.name.replace(compiled, ".ts"));
      if (!existsSync(source)) rmSync(join(entry.parentPath, entry.name));
    }
  }
}

/** The inspector's page, and what it is made of. */
const page = {
  folder: "packages/inspector",
  made: "packages/inspector/web/index.html",
  sources: [
    "packages/inspector/src",
    "packages/inspector/index.html",
    "packages/inspector/vite.config.ts",
    "packages/unbraid/dist",
    "package-lock.json",
  ],
};

/**
 * When the newest of some files and folders was changed.
 *
 * @param {readonly string[]} paths from the root
 */
function newest(paths) {
  let time = 0;
  for (const path of paths) {
    const at = join(root, path);
    if (!existsSync(at)) continue;
    const files = statSync(at).isDirectory()
      ? readdirSync(at, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/\.test(?:-[a-z]+)?\.tsx?$/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name))
      : [at];
    for (const file of files) time = Math.max(time, statSync(file).mtimeMs);
  }
  return time;
}

/**
 * Bundles the inspector's page, unless nothing in it has changed.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ status: number, output: string }>}
 */
async function buildPage(env) {
  const made = join(root, page.made);
  if (existsSync(made) && statSync(made).mtimeMs > newest(page.sources)) return { status: 0, output: "" };
  return run("vite", ["build"], { env, cwd: join(root, page.folder) });
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
    async () => {
      const typed = await run("tsc", ["--build", "tsconfig.build.json"], { env });
      return typed.status === 0 ? buildPage(env) : typed;
    },
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
