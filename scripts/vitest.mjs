// Runs vitest and counts what it reports.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root, run } from "./toolchain.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @typedef {{ testResults: { name: string, status: string, assertionResults: { status: string }[] }[] }} Report */

/**
 * Counts a JSON report of vitest. A file that failed as a whole (it does not load, or a hook threw) has no failed test
 * of its own and counts as one.
 *
 * @param {Report} report
 * @returns {Counts}
 */
function count(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    const failedBefore = counts.failed;
    for (const { status } of file.assertionResults) {
      if (status === "passed") counts.passed += 1;
      else if (status === "failed") counts.failed += 1;
      else counts.skipped += 1;
    }
    if (file.status === "failed" && counts.failed === failedBefore) counts.failed += 1;
  }
  return counts;
}

/**
 * The part of what vitest prints that tells of failures: not the hundreds of lines of what passed.
 *
 * @param {string} output
 */
function failuresIn(output) {
  const lines = stripVTControlCharacters(output).split("\n");
  const first = lines.findIndex((line) => /^⎯+ (Failed|Unhandled|Typecheck)/u.test(line));
  return first === -1 ? output : lines.slice(first).join("\n");
}

/**
 * Prints a dot for every ten test files that are done, so that nobody takes minutes of silence for a hang.
 *
 * @returns {(text: string) => void} takes what vitest prints
 */
function progress() {
  let files = 0;
  return (text) => {
    // One line a file: ` ✓ file (12 tests) 3ms`, or ❯ where one of its tests failed.
    for (const _ of stripVTControlCharacters(text).matchAll(/^ [✓❯] .* \(\d+ tests?/gmu))
      if (++files % 10 === 0) process.stdout.write(".");
  };
}

/**
 * Runs vitest once.
 *
 * @param {string[]} args file filters and options
 * @param {{ env: NodeJS.ProcessEnv, show?: boolean, reporter?: string }} options `env` and `show` as for `run`
 * @returns {Promise<Counts & { status: number, output: string }>} the counts, with a failure at least when vitest fails;
 *   the output is what it printed of failures, or all
 */
export async function vitest(args, { env, show = false, reporter = "default" }) {
  const report = `node_modules/.cache/vitest-${process.pid}.json`;
  const file = join(root, report);
  const result = await run(
    "vitest",
    ["run", `--reporter=${reporter}`, "--reporter=json", `--outputFile.json=${report}`, ...args],
    { env, show, onText: progress() },
  );
  const counts = existsSync(file)
    ? count(/** @type {Report} */ (JSON.parse(readFileSync(file, "utf8"))))
    : { passed: 0, failed: 0, skipped: 0 };
  rmSync(file, { force: true });
  // An error outside every test, a type error in a source, no test found: vitest fails and no test says so.
  if (result.status !== 0 && counts.failed === 0) counts.failed = 1;
  return { ...counts, ...result, output: failuresIn(result.output) };
}

/**
 * The closing line that a machine reads.
 *
 * @param {Counts} counts
 */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
