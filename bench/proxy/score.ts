// npm run score:proxy [-- --write] [--only TEXT] [--peer TEXT] [--verbose]
//
// Serves every composed case, and every recording where they are there, to the vendors' own SDKs and the AI SDK: straight from
// the upstream, through the proxy, and through a proxy that holds calls; and prints how many of them come out right. What counts as
// right is written down in bench/peers/verdict.ts. `--write` writes the table into README.md and docs/guide/proxy.md.

import { parseArgs } from "node:util";
import { type Case, composedCases, recordings } from "../peers/cases.ts";
import { keepOnLoopback } from "../peers/loopback.ts";
import { markdown } from "../page.ts";
import type { Wire } from "../peers/peer.ts";
import type { Reason } from "../peers/verdict.ts";
import { put } from "./page.ts";
import { hush, sdks, startCourse, type Way, WAYS } from "./through.ts";

interface Scored {
  readonly peer: string;
  readonly wire: Wire;
  readonly case: string;
  readonly way: Way;
  readonly reason: Reason | undefined;
  readonly detail: string | undefined;
}

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    peer: { type: "string", default: "" },
  },
});

const at = (path: string): string => new URL(path, import.meta.url).pathname;

async function score(cases: readonly Case[]): Promise<Scored[]> {
  const course = await startCourse();
  const scored: Scored[] = [];
  for (const peer of sdks.filter(({ name }) => name.includes(values.peer))) {
    for (const each of cases.filter(({ wire, id }) => wire === peer.wire && id.includes(values.only))) {
      for (const way of WAYS) {
        const { reason, detail } = await course.run(peer, each, way);
        scored.push({ peer: peer.name, wire: peer.wire, case: each.id, way, reason, detail });
      }
    }
  }
  await course.close();
  return scored;
}

const HEADS: Readonly<Record<Way, string>> = {
  direct: "straight from the upstream",
  proxy: "`unbraid proxy`",
  held: "`unbraid proxy --hold`",
};

function table(scored: readonly Scored[]): string {
  const names = [...new Set(scored.map(({ peer }) => peer))];
  const rows = names.map((name) => {
    const own = scored.filter(({ peer }) => peer === name);
    const of = own.length / WAYS.length;
    const right = (way: Way): string =>
      String(own.filter((each) => each.way === way && each.reason === undefined).length);
    return [`\`${name}\``, String(of), ...WAYS.map(right)];
  });
  return markdown([["SDK", "bodies", ...WAYS.map((way) => HEADS[way])], ...rows]);
}

hush();
keepOnLoopback();
const composed = await score(composedCases(at("../../conformance/cases")));
const recorded = await score(recordings(at("../../../shared/conformance/corpus")));

console.log(`Composed bodies, right of all:\n\n${table(composed)}`);
if (recorded.length > 0) console.log(`\nRecordings, right of all:\n\n${table(recorded)}`);
if (values.verbose)
  for (const { peer, case: id, way, reason, detail } of [...composed, ...recorded])
    if (reason !== undefined && way !== "direct") console.log(`${way} | ${peer} | ${id} | ${reason} | ${detail ?? ""}`);
if (values.write) {
  put("README.md", "score:proxy", table(composed));
  put("docs/guide/proxy.md", "score:proxy", table(composed));
  if (recorded.length > 0) put("docs/guide/proxy.md", "score:proxy:recordings", table(recorded));
}
process.exit(0);
