// npm run peers            (once: installs what is compared)
// npm run bench:peers [-- --quick] [--wire NAME] [--body TEXT] [--rounds N] [--limit SECONDS] [--no-memory] [--json]
//                         [--write]
//
// Feeds the same bytes to the project's reader, to floors and to the peers, in one process and in turn, and prints how
// many times the floor each one takes; then the growth of time with length and the peak memory. Asserts no time.
// `--write` puts the tables into docs/performance.md.

import { parseArgs } from "node:util";
import { chunksOf, makeBody, type Body, type Shape } from "../bodies.ts";
import { contestants, type Contestant } from "./contestants.ts";
import { peakMemory } from "./memory.ts";
import { figures, writeFigures, type Cell, type Row } from "./performance-page.ts";
import { asVendorSends } from "./vendor-body.ts";

const { values } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: "boolean", default: false },
    wire: { type: "string", default: "" },
    body: { type: "string", default: "" },
    rounds: { type: "string", default: "7" },
    limit: { type: "string", default: "60" },
    memory: { type: "boolean", default: true },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

/** A reading that takes longer is stopped, and longer bodies are not tried. */
const LIMIT = 1_000 * Number(values.limit);
/** A reading that takes longer is not repeated. */
const SLOW = 2_000;
const ROUNDS = values.quick ? 1 : Number(values.rounds);
/** Rounds before those that count, for what is compiled and loaded late. */
const WARM_UP = values.quick ? 1 : 3;

const long = (name: string, characters: number): Shape => ({ name, calls: 1, characters, fragment: [4, 16] });
const SHAPES: readonly (Shape & { readonly sizes: readonly (number | "frame")[] })[] = [
  { name: "typical", calls: 3, characters: 2_000, fragment: [4, 4], sizes: ["frame", 1460, 65_536] },
  { name: "wide", calls: 64, characters: 500, fragment: [4, 8], interleaved: true, sizes: ["frame", 1460, 65_536] },
  { ...long("10 KB", 10_000), sizes: ["frame", 1460, 65_536] },
  { ...long("100 KB", 100_000), sizes: ["frame", 1460, 65_536] },
  // The chunks' size matters less than the length: one size is enough here, and some readers take a minute.
  { ...long("1 MB", 1_000_000), sizes: [65_536] },
];
const LONG = new Map([
  ["10 KB", 10_000],
  ["100 KB", 100_000],
  ["1 MB", 1_000_000],
]);

/** What one contestant took in all rounds, or why it is out. */
interface Lane {
  readonly contestant: Contestant;
  readonly times: number[];
  out?: string;
}

/** All contestants in turn on one body; those that are too slow for another round count from their first. */
async function race(body: Body, chunks: readonly Uint8Array[], lanes: readonly Lane[]): Promise<void> {
  for (let round = 1 - WARM_UP; round <= ROUNDS; round++) {
    for (const lane of lanes) {
      const slow = (lane.times[0] ?? 0) > SLOW;
      if (lane.out !== undefined || slow) continue;
      const { milliseconds, characters, error, stopped } = await lane.contestant.run(body, chunks, LIMIT);
      if (stopped) lane.out = `> ${LIMIT / 1000} s`;
      else if (characters !== body.argumentCharacters) lane.out = error ?? `found ${characters} characters`;
      else if (round > 0 || milliseconds > SLOW) lane.times.push(milliseconds);
    }
  }
}

/** The quick mode shows that all of this works, and nothing else. */
const inQuick = ({ name }: Shape): boolean => !values.quick || name === "typical" || name === "10 KB";

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

async function rowsOf(wire: Row["wire"]): Promise<Row[]> {
  const all = contestants(wire);
  const rows = all.map(({ name, partials }) => ({ wire, name, partials, cells: [] as Cell[] }));
  const shapes = SHAPES.filter(({ name }) => name.includes(values.body)).filter(inQuick);
  /** Who was stopped, on which kind of body: a longer one of the kind is not tried. */
  const stopped = new Map<string, string>();
  for (const { sizes, ...shape } of shapes) {
    const body = asVendorSends(makeBody(wire, shape));
    const kind = LONG.has(shape.name) ? "long" : shape.name;
    for (const chunk of values.quick ? sizes.slice(-1) : sizes) {
      const lanes = all.map((contestant, at): Lane => {
        const out = stopped.get(`${kind} ${at}`);
        return { contestant, times: [], ...(out === undefined ? {} : { out }) };
      });
      await race(body, chunksOf(body, chunk), lanes);
      const floor = median(lanes[0]?.times ?? []);
      lanes.forEach(({ times, out }, at) => {
        if (out?.startsWith(">")) stopped.set(`${kind} ${at}`, out);
        const milliseconds = median(times);
        const found = out === undefined ? { milliseconds, ratio: milliseconds / floor } : { out };
        rows[at]?.cells.push({ body: shape.name, chunk: String(chunk), ...found });
      });
      if (!values.json) console.error(`${wire}, ${shape.name}, chunks of ${chunk}: done`);
    }
  }
  return rows.map((row) => ({ ...row, ...growth(row.cells) }));
}

/** The exponent of time over the two longest bodies that were read to their end: 1 is linear. */
function growth(cells: readonly Cell[]): { exponent?: number } {
  const read = cells.filter(
    ({ body, chunk, milliseconds }) => LONG.has(body) && chunk === "65536" && milliseconds !== undefined,
  );
  const [shorter, longer] = read.slice(-2);
  if (shorter?.milliseconds === undefined || longer?.milliseconds === undefined) return {};
  const factor = (LONG.get(longer.body) ?? 1) / (LONG.get(shorter.body) ?? 1);
  return { exponent: Math.log(longer.milliseconds / shorter.milliseconds) / Math.log(factor) };
}

/** Peak memory of the longest body that the contestant can read in time. */
async function withMemory(rows: readonly Row[]): Promise<Row[]> {
  const result: Row[] = [];
  for (const [at, row] of rows.entries()) {
    const longest = row.cells
      .filter(({ body, milliseconds }) => LONG.has(body) && milliseconds !== undefined)
      .at(-1)?.body;
    const bytes = longest && (await peakMemory(row.wire, at, LONG.get(longest) ?? 0, 2 * LIMIT));
    result.push(typeof bytes === "number" ? { ...row, memory: { body: longest ?? "", bytes } } : row);
  }
  return result;
}

process.on("unhandledRejection", () => {});
const rows: Row[] = [];
for (const wire of ["openai-chat", "openai-responses", "anthropic"] as const) {
  if (!wire.includes(values.wire)) continue;
  const measured = await rowsOf(wire);
  rows.push(...(values.memory ? await withMemory(measured) : measured));
}
console.log(values.json ? JSON.stringify({ node: process.version, rows }, null, 2) : figures(rows));
if (values.write) writeFigures(rows);
process.exit(0);
