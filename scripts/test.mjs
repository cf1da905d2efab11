// npm test
//
// Installs, builds, and runs every check. A check that fails shows what it printed and the rest still run; the last
// line is `N passed, N failed, N skipped`, counting each test and each other check as one.

import { join } from "node:path";
import { build } from "./build.mjs";
import { entries, packages } from "./packages.mjs";
import { provideAll } from "./services.mjs";
import { prepare, root, run, timed } from "./toolchain.mjs";
import { closingLine, vitest } from "./vitest.mjs";

const env = await prepare();
const counts = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];

/**
 * Notes how one check went.
 *
 * @param {string} what
 * @param {{ status: number, output: string }} result
 */
function note(what, { status, output }) {
  counts[status === 0 ? "passed" : "failed"] += 1;
  if (status === 0) return;
  failures.push(what);
  process.stdout.write(`${output.trimEnd()}\n`);
}

/**
 * Runs one command as a check.
 *
 * @param {string} what
 * @param {string} command
 * @param {string[]} args
 */
async function check(what, command, args) {
  const result = await timed(
    what,
    () =>
      run(command, args, {
        env: { ...env, DENO_DIR: join(root, "node_modules/.cache/deno"), DENO_NO_UPDATE_CHECK: "1" },
      }),
    ({ status }) => (status === 0 ? "ok" : "failed"),
  );
  note(what, result);
}

const built = await build(env);
note("building", built);

/**
 * Runs one command as a check of what was built.
 *
 * @param {string} what
 * @param {string} command
 * @param {string[]} args
 */
async function checkBuilt(what, command, args) {
  if (built.status === 0) return check(what, command, args);
  counts.skipped += 1;
  process.stdout.write(`${what} ... skipped, the build failed\n`);
}

await check("format (oxfmt)", "oxfmt", ["--check"]);
await check("lint (oxlint)", "oxlint", []);
await check("types, tests included (tsc)", "tsc", ["--build"]);

const services = await provideAll(env);
for (const line of services.missing) process.stdout.write(`TESTS ARE SKIPPED: ${line}\n`);

const tests = await timed(
  "tests (vitest)",
  () => vitest([], { env: services.env }),
  ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`,
);
counts.passed += tests.passed;
counts.failed += tests.failed;
counts.skipped += tests.skipped;
if (tests.failed > 0) {
  failures.push("tests");
  process.stdout.write(`${tests.output.trimEnd()}\n`);
}

await check("unused files, exports, dependencies (knip)", "knip", []);
await check("docs of the entries (deno doc)", "deno", [
  "doc",
  "--lint",
  "--no-config",
  "--no-remote",
  ...entries.map(({ source }) => source),
]);

for (const { folder, name, entries: own } of packages) {
  await checkBuilt(`manifest of ${name} (publint)`, "publint", ["--strict", folder]);
  if (own.length > 0)
    await checkBuilt(`types of ${name} as published (attw)`, "attw", ["--pack", folder, "--profile", "esm-only"]);
}
await checkBuilt("bundle sizes (size-limit)", "size-limit", []);
// Whether it works; no time is asserted.
await checkBuilt("benchmark, quick", "node", ["bench/run.ts", "--quick"]);

if (failures.length > 0) process.stdout.write(`failed: ${failures.join(", ")}\n`);
process.stdout.write(`${closingLine(counts)}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
