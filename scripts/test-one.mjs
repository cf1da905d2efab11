// npm run test:one -- WORD...
//
// Runs some of the tests. A word that occurs in the path of a test file chooses that file; any other word must occur
// in the test's name. Long tests (`*.long.test.ts`) run where no other file is chosen.

import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fail, prepare, root } from "./toolchain.mjs";
import { closingLine, vitest } from "./vitest.mjs";

/** The paths of all test files, from the root, with forward slashes. */
function testFiles() {
  return ["packages", "conformance"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.test(?:-d)?\.ts$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => !path.includes("node_modules/")),
  );
}

const words = process.argv.slice(2);
if (words.length === 0) fail("usage: npm run test:one -- WORD...   (part of a test file's path, or of a test's name)");
const files = testFiles();
const inPath = words.filter((word) => files.some((file) => file.includes(word)));
const inName = words.filter((word) => !inPath.includes(word));
const chosen = files.filter((file) => inPath.some((word) => file.includes(word)));
const long = chosen.length > 0 && chosen.every((file) => file.endsWith(".long.test.ts"));

const types = chosen.some((file) => file.endsWith(".test-d.ts"));

const pattern = inName.map((word) => word.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join(".*");
const args = [
  ...inPath,
  ...(pattern ? ["--testNamePattern", pattern] : []),
  ...(long ? ["--mode", "long"] : []),
  ...(types ? [] : ["--typecheck.enabled=false"]),
];
const env = await prepare();
// A dot a test: some files hold hundreds, and a failure is told at the end in full.
const result = await vitest(args, { env, show: true, reporter: "dot" });
if (result.passed + result.failed === 0) fail(`no test matches: ${words.join(" ")}`);
process.stdout.write(`${closingLine(result)}\n`);
process.exitCode = result.failed === 0 ? 0 : 1;
