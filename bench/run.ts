// npm run bench [-- --quick] [--json]
//
// Measures the reader against floors on bodies of our own and prints ratios, and how time grows with length. Asserts no
// time: figures of a shared machine are noise, ratios within one run are not.

import { parseArgs } from "node:util";
import { chunksOf, makeBody, type Body, type Shape } from "./bodies.ts";
import { compare, type Timing } from "./measure.ts";
import { asyncRead, eventsourceParser, lineEnds, push, pushWithPartials, splitAndParse } from "./subjects.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
});

const TYPICAL: Shape = { name: "typical (3 calls, 2 KB)", calls: 3, characters: 2000, fragment: [4, 4] };
const WIDE: Shape = { name: "wide (64 interleaved)", calls: 64, characters: 500, fragment: [4, 8], interleaved: true };
const long = (characters: number, name: string, fragment: readonly [number, number] = [4, 16]): Shape => ({
  name,
  calls: 1,
  characters,
  fragment,
});

const SUBJECTS = [splitAndParse, eventsourceParser, lineEnds, push, pushWithPartials, asyncRead];
const rounds = values.quick ? 1 : 7;

interface Row {
  readonly body: string;
  readonly chunk: string;
  readonly timings: readonly Timing[];
}

const bodies: Body[] = [
  ...(["openai-chat", "openai-responses", "anthropic"] as const).map((protocol) => makeBody(protocol, TYPICAL)),
  makeBody("openai-chat", TYPICAL, true),
  makeBody("openai-chat", WIDE),
  makeBody("openai-chat", long(100_000, "100 KB, one call")),
  ...(values.quick
    ? []
    : [
        makeBody("openai-chat", long(1_000_000, "1 MB, one call, 8 characters a fragment", [8, 8])),
        makeBody("anthropic", long(1_000_000, "1 MB, one call")),
      ]),
];

const rows: Row[] = [];
for (const body of bodies) {
  // A short body is read many times over, for a clock to see it.
  const repeat = Math.max(1, Math.round(2_000_000 / body.bytes.length));
  const subjects = SUBJECTS.map((subject) => ({
    name: subject.name,
    async run(each: Body, chunks: readonly Uint8Array[]) {
      let found: number | Promise<number> = 0;
      for (let turn = 0; turn < (values.quick ? 1 : repeat); turn++) {
        found = subject.run(each, chunks);
        if (typeof found !== "number") found = await found;
      }
      return found;
    },
  }));
  for (const size of ["frame", 1460, 65_536] as const) {
    rows.push({
      body: body.name,
      chunk: String(size),
      timings: await compare(body, chunksOf(body, size), subjects, rounds),
    });
  }
}

/** How time grows from 100 KB to 10 MB of arguments: 1 is linear. */
async function growth(): Promise<{ readonly subject: string; readonly exponent: number }[]> {
  const sizes = values.quick ? [20_000, 200_000] : [100_000, 1_000_000, 10_000_000];
  const subjects = [splitAndParse, push, pushWithPartials];
  const times: Timing[][] = [];
  for (const size of sizes) {
    const body = makeBody("openai-chat", long(size, `${size} characters`, [8, 8]));
    times.push(await compare(body, chunksOf(body, 65_536), subjects, values.quick ? 1 : 3));
  }
  const [first, last] = [times[0] ?? [], times.at(-1) ?? []];
  const factor = Math.log((sizes.at(-1) ?? 1) / (sizes[0] ?? 1));
  return subjects.map(({ name }, at) => ({
    subject: name,
    exponent: Math.log((last[at]?.milliseconds ?? 1) / (first[at]?.milliseconds ?? 1)) / factor,
  }));
}

const exponents = await growth();

if (values.json) {
  console.log(JSON.stringify({ node: process.version, rows, exponents }));
} else {
  console.log(
    `Ratios to "${splitAndParse.name}", medians of ${rounds} rounds in one process, Node ${process.version}\n`,
  );
  console.log(
    [
      "body".padEnd(58),
      "chunk".padStart(6),
      ...SUBJECTS.slice(1).map(({ name }) => name.padStart(name.length + 2)),
    ].join(""),
  );
  for (const { body, chunk, timings } of rows) {
    console.log(
      [
        body.padEnd(58),
        chunk.padStart(6),
        ...timings.slice(1).map(({ subject, ratio }) => ratio.toFixed(2).padStart(subject.length + 2)),
      ].join(""),
    );
  }
  console.log("\nGrowth of time with length (1 is linear):");
  for (const { subject, exponent } of exponents) console.log(`  ${subject}: ${exponent.toFixed(2)}`);
}
