// npm run peers            (once: installs what is compared)
// npm run bench:peers [-- --quick] [--wire NAME] [--body TEXT] [--rounds N] [--limit SECONDS] [--no-memory] [--json]
//                         [--write]
//
// Feeds the same bytes to the project's reader, to floors and to the peers, in one process and in turn, and prints how
// many times the floor each one takes; then the growth of time with length and the peak memory. Asserts no time.
// `--write` puts the tables into docs/performance.md.

import { parseArgs } from "node:util";
import { chunksOf, makeBody, type Body, type Shape } from "../bodies.ts";
import { median } from "../measure.ts";
import { writeFigures } from "../page.ts";
import { LONG as LONG_SHAPES, TYPICAL, WIDE } from "../shapes.ts";
import { contestants, type Contestant } from "./contestants.ts";
import { peakMemory } from "./memory.ts";
import { figures, type Cell, type Row } from "./performance-page.ts";
import { asVendorSends } from "./vendor-body.ts";

const { values } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: "boolean", default: false },
    wire: { type: "string", default: "" },
    body: { type: "string", default: "" },
    rounds: { type: "string", default: "3" },
    limit: { type: "string", default: "5" },
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

/** The chunks' size matters less than the length, and some readers take a minute: for long bodies one size is enough. */
const SHAPES: readonly (Shape & { readonly sizes: readonly (number | "frame")[] })[] = [
  { ...TYPICAL, sizes: ["frame", 1460, 65_536] },
  { ...WIDE, sizes: ["frame", 1460, 65_536] },
  ...LONG_SHAPES.slice(0, 3).map((shape) => ({ ...shape, sizes: [65_536] })),
];
/** Lengths by name. */
const LONG = new Map(LONG_SHAPES.map(({ name, characters }) => [name, characters]));

/** Milliseconds that one turn should take at least: a short reading is repeated, for a clock to see it. */
const TURN = values.quick ? 0 : 30;
const MAX_REPEAT = 20;

/** What one contestant took in all rounds, or why it is out. */
interface Lane {
  readonly contestant: Contestant;
  readonly times: number[];
  repeat: number;
  out?: string;
}

/** All contestants in turn on one body; those that are too slow for another round count from their first. */
async function race(body: Body, chunks: readonly Uint8Array[], lanes: readonly Lane[]): Promise<void> {
  for (let round = 1 - WARM_UP; round <= ROUNDS; round++) {
    for (const lane of lanes) {
      const slow = (lane.times[0] ?? 0) > SLOW;
      if (lane.out !== undefined || slow) continue;
      const milliseconds = await turn(body, chunks, lane);
      if (milliseconds === undefined) continue;
      lane.repeat = Math.min(MAX_REPEAT, Math.max(1, Math.round(TURN / milliseconds)));
      if (round > 0 || milliseconds > SLOW) lane.times.push(milliseconds);
    }
  }
}

/** One contestant's turn; gives the mean of its readings, undefined where it is out. */
async function turn(body: Body, chunks: readonly Uint8Array[], lane: Lane): Promise<number | undefined> {
  let sum = 0;
  for (let each = 0; each < lane.repeat; each++) {
    const { milliseconds, characters, error, stopped } = await lane.contestant.run(body, chunks, LIMIT);
    if (stopped) lane.out = `> ${LIMIT / 1000} s`;
    else if (characters !== body.argumentCharacters) lane.out = error ?? `found ${characters} characters`;
    if (lane.out !== undefined) return undefined;
    sum += milliseconds;
  }
  return sum / lane.repeat;
}

/** The quick mode shows that all of this works, and nothing else. */
const inQuick = ({ name }: Shape): boolean => !values.quick || name === "typical" || name === "10 KB";

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
        return { contestant, times: [], repeat: 1, ...(out === undefined ? {} : { out }) };
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
if (values.write) writeFigures("peers", figures(rows));
process.exit(0);
