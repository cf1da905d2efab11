// The results as tables, and the page of the docs. Owns their wording.

import { readFileSync } from "node:fs";
import { markdown } from "../page.ts";
import { WIRES, type Wire } from "./peer.ts";
import { peers } from "./readers/index.ts";
import type { Scored } from "./score.ts";
import type { Reason } from "./verdict.ts";

const REASONS: readonly Reason[] = [
  "ran-truncated",
  "ran-malformed",
  "doubled",
  "merged",
  "lost",
  "threw",
  "hang",
  "other",
];

const WIRE_NAMES: Readonly<Record<Wire, string>> = {
  "openai-chat": "OpenAI Chat",
  "openai-responses": "OpenAI Responses",
  anthropic: "Anthropic",
  gemini: "Gemini",
};

/** What each reason means, in the order of the columns. */
const MEANINGS: Readonly<Record<Reason, string>> = {
  "ran-truncated": "a call ran out of a response that was cut before its end",
  "ran-malformed": "a call ran whose arguments are no JSON object",
  doubled: "a call, or its argument text, twice",
  merged: "fewer calls than there were, one holding what belonged to several",
  lost: "a call that should run does not",
  threw: "the reader threw though the response had not failed or broken off",
  hang: "no end in ten seconds",
  other: "another id, name or value",
};

/** The meanings of the reasons that occur. */
function key(scored: readonly Scored[]): string {
  return REASONS.filter((reason) => scored.some((each) => each.reason === reason))
    .map((reason) => `- *${reason}*: ${MEANINGS[reason]}`)
    .join(";\n")
    .concat(".");
}

/** Right of all by wire, and the reasons of the rest, a row for each reader; in Markdown. */
export function table(scored: readonly Scored[]): string {
  const reasons = REASONS.filter((reason) => scored.some((each) => each.reason === reason));
  const rows = WIRES.flatMap((wire) =>
    names(scored.filter((each) => each.wire === wire))
      .map((name) => scored.filter((each) => each.wire === wire && each.peer === name))
      .toSorted((a, b) => right(b) - right(a))
      .map((own) => [
        WIRE_NAMES[wire],
        own[0]?.peer ?? "",
        `${right(own)} of ${own.length}`,
        ...reasons.map((reason) => String(own.filter((each) => each.reason === reason).length || "")),
      ]),
  );
  return markdown([["wire", "reader", "right", ...reasons], ...rows], 2);
}

const right = (scored: readonly Scored[]): number => scored.filter(({ reason }) => reason === undefined).length;
const names = (scored: readonly Scored[]): string[] => [...new Set(scored.map(({ peer }) => peer))];

/** The versions that were compared, from the manifest. */
function versions(): string[] {
  const manifest = new URL("package.json", import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(manifest, "utf8")) as { dependencies: Record<string, string> };
  const used = new Set(peers.flatMap(({ packages }) => packages));
  return Object.entries(dependencies)
    .filter(([name]) => used.has(name))
    .map(([name, version]) => `${name} ${version}`);
}

/** The cases that a reader fails, by reason. */
function failures(scored: readonly Scored[]): string {
  const lines = WIRES.flatMap((wire) => {
    const own = scored.filter((each) => each.wire === wire && each.reason !== undefined);
    return names(own).map((name) => {
      const list = REASONS.flatMap((reason) => {
        const ids = own.filter((each) => each.peer === name && each.reason === reason).map((each) => each.case);
        return ids.length === 0 ? [] : `${reason} ${ids.join(" ")}`;
      });
      return `- **${name}** (${WIRE_NAMES[wire]}): ${list.join("; ")}`;
    });
  });
  return lines.join("\n");
}

/** The page. Recordings are other people's data: only their number is told. */
export function comparisonPage(composed: readonly Scored[], recorded: readonly Scored[]): string {
  const count = new Set(composed.map((each) => each.case)).size;
  const recordedCount = new Set(recorded.map((each) => each.case)).size;
  return `# Comparison with other readers

This page is written by \`npm run score -- --write\`. Do not edit it by hand.

Each of the ${count} composed bodies in [conformance/cases](../conformance/README.md) for these four wires is served over
HTTP on this machine to each reader, used as its users use it. Calls left in the text or between reasoning marks are another
task and left out, and so are three bodies that not every reader could have asked for. Fields that a vendor always sends and
our bodies leave away, beside the point, are filled in for all where a reader insists on them.

What counts is which calls a careful harness behind the reader would run. The head of
[bench/peers/verdict.ts](../bench/peers/verdict.ts) says exactly how that is judged, the same for all. The bodies were
composed around faults that users of real servers have reported, so a share of failures here is no share of real traffic.

${table(composed)}

${key(composed)}

${recorded.length === 0 ? "" : `## Recordings\n\nThe same with ${recordedCount} recordings of real responses that hold calls of the client's functions. They are other people's\ndata and not part of this repository.\n\n${table(recorded)}\n\n`}## The cases that fail

${failures(composed)}

## Versions and how to run it again

${versions().join(", ")}; Node ${process.versions.node}; ${new Date().toISOString().slice(0, 10)}.

    npm run peers
    npm run score -- --write

\`--verbose\` says for each failed case what the reader handed out, \`--only C055\` and \`--peer openai\` choose.
`;
}
