// Programs that tests need and npm cannot bring: where they are, and how they come where apt may bring them. Owns the
// table; whoever needs one starts and stops it.

import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, timed } from "./toolchain.mjs";

/**
 * One program.
 *
 * @typedef {object} Service
 * @property {string} what the words for it
 * @property {string} aptPackage what brings it on Debian and Ubuntu
 * @property {() => string | undefined} find gives its path
 */

/** @satisfies {Record<string, Service>} */
const services = {
  postgres: {
    what: "PostgreSQL",
    aptPackage: "postgresql",
    // Debian keeps the server off the PATH, and elsewhere on the PATH there may be a wrapper of one command alone.
    find: () =>
      postgresFolders().find((folder) => isProgram(join(folder, "initdb")) && isProgram(join(folder, "postgres"))),
  },
  valkey: {
    what: "Valkey or Redis",
    aptPackage: "redis-server",
    find: () => onPath("valkey-server") ?? onPath("redis-server"),
  },
  chromium: {
    what: "Chromium",
    aptPackage: "chromium",
    find: () =>
      ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
        .map(onPath)
        .find((path) => path !== undefined) ?? macBrowser(),
  },
};

/** @typedef {keyof typeof services} ServiceName */

/** Set for the processes of a test run in which nothing is to be installed any more. */
const SETTLED = "UNBRAID_SERVICES_SETTLED";

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function pathFolders() {
  // Servers are where only the administrator's PATH leads.
  return [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"].filter(
    (folder) => folder !== "",
  );
}

/** @param {string} command */
function onPath(command) {
  return pathFolders()
    .map((folder) => join(folder, command))
    .find(isProgram);
}

/** On a Mac a browser is no command. */
function macBrowser() {
  return ["Chromium", "Google Chrome"]
    .map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
    .find(isProgram);
}

/** The folders that may hold PostgreSQL's programs: the newest version that Debian has, then the PATH. */
function postgresFolders() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one)) : [];
  return [...versions.map((version) => join(debian, version, "bin")), ...pathFolders()];
}

/** How to call apt-get here without being asked anything; undefined where that may not be done. */
async function aptGet() {
  if (process.env["UNBRAID_NO_INSTALL"] !== undefined) return undefined;
  if (process.platform !== "linux" || onPath("apt-get") === undefined) return undefined;
  // No services of their own: the tests start theirs. RUNLEVEL is what invoke-rc.d goes by.
  const quiet = ["DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "apt-get", "-o", "DPkg::Lock::Timeout=120", "-qq"];
  if (process.getuid?.() === 0) return ["env", ...quiet];
  // A build machine is nobody's own, and its user may mostly do this.
  if (process.env["CI"] !== "true" || (await run("sudo", ["-n", "true"])).status !== 0) return undefined;
  return ["sudo", "-n", "env", ...quiet];
}

/**
 * Installs packages by apt. Whether that worked is seen by what is there afterwards: a package whose own service does not
 * start says that it failed.
 *
 * @param {string[]} names
 * @returns {Promise<string>} why not, or nothing
 */
async function install(names) {
  const [command, ...args] = (await aptGet()) ?? [];
  if (command === undefined)
    return "install it; the tests have it installed only for root with apt-get, and not with UNBRAID_NO_INSTALL";
  const add = () => run(command, [...args, "install", "--yes", "--no-install-recommends", ...names]);
  const first = await add();
  if (first.status === 0) return "";
  // The lists may be empty or old on a fresh machine.
  const update = await run(command, [...args, "update"]);
  const second = await add();
  return second.status === 0 ? "" : `apt-get could not install it:\n${update.output}${second.output}`.trimEnd();
}

/**
 * Where a program is; brings it where it is missing and that may be done. Quick where it is there.
 *
 * @param {ServiceName} name
 * @returns {Promise<{ path: string } | { missing: string }>} its path (the folder, for PostgreSQL), or what to tell
 */
export async function provide(name) {
  const { what, aptPackage, find } = services[name];
  const found = find();
  if (found !== undefined) return { path: found };
  const why = process.env[SETTLED] === undefined ? await install([aptPackage]) : "see above";
  const path = find();
  return path === undefined ? { missing: `${what} is not there: ${why}` } : { path };
}

/**
 * Brings all programs that are missing, before the tests run.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ env: NodeJS.ProcessEnv, missing: string[] }>} the environment in which no test tries again, and
 *   what to tell of those that are still missing
 */
export async function provideAll(env) {
  const names = /** @type {ServiceName[]} */ (Object.keys(services));
  const absent = names.filter((name) => services[name].find() === undefined);
  /** @type {string[]} */
  const missing = [];
  for (const name of absent) {
    const result = await timed(
      `installing ${services[name].what}`,
      () => provide(name),
      (given) => ("path" in given ? "ok" : "failed"),
    );
    if ("missing" in result) missing.push(result.missing);
  }
  return { env: { ...env, [SETTLED]: "1" }, missing };
}
