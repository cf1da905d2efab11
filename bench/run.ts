// npm run bench [-- --quick] [--only TEXT] [--rounds N] [--no-memory] [--json] [--write]
//
// Measures the reader against floors on bodies of our own: ratios by wire, body and size of chunk, without and with the value
// so far; how time grows with length; peak memory. Asserts no time. `--only` takes the bodies whose wire and name hold the
// text; `--write` puts the tables into docs/performance.md; `--quick` shows that all of this works, and nothing else.

import { parseArgs } from "node:util";
import { chunksOf, type Body, type Shape } from "./bodies.ts";
import { compare, type Effort, type Timing } from "./measure.ts";
import { peakMemory } from "./memory.ts";
import { markdown, rounded, writeFigures } from "./page.ts";
import { bodyOf, CHUNKS, LONG, TYPICAL, VENDORS, WIDE, type Vendor } from "./shapes.ts";
import { push, pushWithPartials, splitAndParse, SUBJECTS } from "./subjects.ts";

const { values } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "15" },
    memory: { type: "boolean", default: true },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

/** Frames that one turn should read at least: a few milliseconds. */
const TURN = 3_000;
/** Rounds for bodies of a megabyte and more. */
const FEW = 3;
/** Growth is told between these two, in the longest chunks. */
const [SHORT, LONGEST] = values.quick ? [LONG[0], LONG[1]] : [LONG[1], LONG[3]];

interface Row {
  readonly vendor: string;
  readonly body: string;
  readonly chunk: string;
  readonly timings: readonly Timing[];
}

const effortFor = (body: Body): Effort => {
  if (values.quick) return { rounds: 1, warmUp: 0, repeat: 1 };
  const frames = body.frameEnds.length;
  const rounds = frames > 50_000 ? FEW : Number(values.rounds);
  return { rounds, warmUp: frames > 50_000 ? 1 : 6, repeat: Math.max(1, Math.round(TURN / frames)) };
};

async function rowsOf(vendor: Vendor, shape: Shape): Promise<Row[]> {
  const body = bodyOf(vendor, shape);
  const rows: Row[] = [];
  for (const chunk of shape === LONGEST || values.quick ? CHUNKS.slice(-1) : CHUNKS) {
    const subjects = shape === LONGEST ? [splitAndParse, push, pushWithPartials] : SUBJECTS;
    const timings = await compare(body, chunksOf(body, chunk), subjects, effortFor(body));
    rows.push({ vendor: vendor.name, body: shape.name, chunk: String(chunk), timings });
  }
  return rows;
}

const SHAPES = values.quick ? [TYPICAL, ...LONG.slice(0, 2)] : [TYPICAL, WIDE, ...LONG];
const rows: Row[] = [];
for (const vendor of VENDORS)
  for (const shape of SHAPES) {
    if (!`${vendor.name}, ${shape.name}`.includes(values.only)) continue;
    rows.push(...(await rowsOf(vendor, shape)));
    if (!values.json && !values.quick) console.error(`${vendor.name}, ${shape.name}: done`);
  }

interface Growth {
  readonly vendor: string;
  readonly subject: string;
  /** Of time, between the two lengths: 1 is linear. */
  readonly exponent: number | undefined;
  /** Peak of memory for the longest, in bytes. */
  readonly memory: number | undefined;
}

function exponentOf(vendor: string, subject: string): number | undefined {
  const [shorter, longer] = [SHORT, LONGEST].map((shape) =>
    rows
      .find(({ chunk, ...row }) => row.vendor === vendor && row.body === shape?.name && chunk === "65536")
      ?.timings.find((timing) => timing.subject === subject),
  );
  if (shorter === undefined || longer === undefined) return undefined;
  const factor = (LONGEST?.characters ?? 1) / (SHORT?.characters ?? 1);
  return Math.log(longer.milliseconds / shorter.milliseconds) / Math.log(factor);
}

const growth: Growth[] = [];
for (const [at, vendor] of VENDORS.entries()) {
  if (LONGEST === undefined || !`${vendor.name}, ${LONGEST.name}`.includes(values.only)) continue;
  for (const subject of [splitAndParse, push, pushWithPartials]) {
    const wanted = values.memory && !(values.quick && subject !== push);
    growth.push({
      vendor: vendor.name,
      subject: subject.name,
      exponent: exponentOf(vendor.name, subject.name),
      memory: wanted ? await peakMemory(at, SUBJECTS.indexOf(subject), LONGEST) : undefined,
    });
  }
}

/** The rows of a wire: a line a body, the ratios by size of chunk side by side, and for one of them those of the wall's clock. */
function tableOf(vendor: string): string {
  const own = rows.filter((row) => row.vendor === vendor);
  const names = SUBJECTS.slice(1).map(({ name }) => name);
  const cell = (body: string, subject: string, of: "ratio" | "wall"): string =>
    own
      .filter((row) => row.body === body)
      .flatMap(({ timings }) => timings.filter((timing) => timing.subject === subject))
      .map((timing) => rounded(timing[of]))
      .join(" · ");
  const bodies = [...new Set(own.map(({ body }) => body))];
  return markdown([
    ["body", ...names, "push, wall"],
    ...bodies.map((body) => [body, ...names.map((name) => cell(body, name, "ratio")), cell(body, push.name, "wall")]),
  ]);
}

function growthTable(): string {
  const size = (LONGEST?.characters ?? 1) / 1e6;
  return markdown(
    [
      ["wire", "subject", `growth, ${SHORT?.name} to ${LONGEST?.name}`, `memory, ${LONGEST?.name}`],
      ...growth.map(({ vendor, subject, exponent, memory }) => [
        vendor,
        subject,
        exponent?.toFixed(2) ?? "",
        memory === undefined ? "" : `${(memory / 1e6).toFixed(0)} MB (${(memory / 1e6 / size).toFixed(1)} times)`,
      ]),
    ],
    2,
  );
}

const figures = [
  ...[...new Set(rows.map(({ vendor }) => vendor))].map((vendor) => `### ${vendor}\n\n${tableOf(vendor)}`),
  ...(growth.length > 0 ? [`### Growth and memory\n\n${growthTable()}`] : []),
].join("\n\n");

if (values.json) console.log(JSON.stringify({ node: process.version, rows, growth }));
else console.log(`Ratios to "${splitAndParse.name}", Node ${process.version}\n\n${figures}`);
if (values.write) writeFigures("floors", figures);
