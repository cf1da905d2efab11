// npm run peers            (once: installs what is compared)
// npm run score [-- --json] [--write] [--only TEXT] [--peer TEXT] [--verbose]
//
// Runs every composed case, and every recording where they are there, through each reader, and prints how many it gets
// right. What counts as right is written down in verdict.ts, and is the same for all. `--write` writes
// docs/comparison.md; `--json` writes bench/peers/results.json, which is not kept.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { composedCases, recordings, type Case } from "./cases.ts";
import { comparisonPage, table } from "./comparison-page.ts";
import { keepOnLoopback, startLoopback, type Loopback } from "./loopback.ts";
import type { Peer } from "./peer.ts";
import { peers } from "./readers/index.ts";
import { judge, type Outcome, type Verdict } from "./verdict.ts";

/** A reader's judgement on one case. */
export interface Scored extends Verdict {
  readonly peer: string;
  readonly case: string;
  readonly wire: Case["wire"];
}

const PATIENCE = 10_000;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    peer: { type: "string", default: "" },
  },
});

const at = (path: string): string => new URL(path, import.meta.url).pathname;

/** Some SDKs reject promises that nobody holds beside the one that their user waits for. */
process.on("unhandledRejection", () => {});
for (const method of ["warn", "error", "debug", "info"] as const) console[method] = () => {};

async function read(peer: Peer, each: Case, loopback: Loopback): Promise<Outcome> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve({ hung: true }), PATIENCE);
  });
  const ask = { url: loopback.serve(each), tools: each.tools, signal: controller.signal };
  const reading = peer.read(ask).then(
    (handed): Outcome => ({ handed }),
    (error: unknown): Outcome => ({
      threw: (error instanceof Error ? error.message : JSON.stringify(error)).slice(0, 300),
    }),
  );
  const outcome = await Promise.race([reading, hung]);
  clearTimeout(timer);
  controller.abort();
  return outcome;
}

async function score(cases: readonly Case[], loopback: Loopback): Promise<Scored[]> {
  const scored: Scored[] = [];
  for (const peer of peers.filter(({ name }) => name.includes(values.peer))) {
    for (const each of cases.filter(({ wire, id }) => wire === peer.wire && id.includes(values.only))) {
      const verdict = judge(each, await read(peer, each, loopback));
      scored.push({ peer: peer.name, case: each.id, wire: each.wire, ...verdict });
    }
  }
  return scored;
}

keepOnLoopback();
const loopback = await startLoopback();
const composed = await score(composedCases(at("../../conformance/cases")), loopback);
const recorded = await score(recordings(at("../../../shared/conformance/corpus")), loopback);
await loopback.close();

console.log("Composed cases, right of all:\n");
console.log(table(composed));
if (recorded.length > 0) {
  console.log("\nRecordings, right of all:\n");
  console.log(table(recorded));
}
if (values.verbose) {
  for (const { peer, case: id, reason, detail } of [...composed, ...recorded])
    if (reason !== undefined) console.log(`${peer} | ${id} | ${reason} | ${detail ?? ""}`);
}
if (values.json) writeFileSync(at("results.json"), `${JSON.stringify({ composed, recorded }, null, 2)}\n`);
if (values.write) writeFileSync(at("../../docs/comparison.md"), comparisonPage(composed, recorded));
process.exit(0);
