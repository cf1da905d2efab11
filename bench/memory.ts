// node bench/memory.ts VENDOR SUBJECT CHARACTERS FILE        (a child of run.ts; the first two by their place in their lists)
//
// Reads one long call once and prints the peak of its memory in bytes.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chunksOf, type Shape } from "./bodies.ts";
import { bytesOfChild, peakOf } from "./peak.ts";
import { bodyOf, VENDORS } from "./shapes.ts";
import { SUBJECTS } from "./subjects.ts";

const path = fileURLToPath(import.meta.url);
const LIMIT = 120_000;

/** The peak for a subject and a vendor's wire, both by their place; undefined where the reading failed. */
export function peakMemory(vendor: number, subject: number, shape: Shape): Promise<number | undefined> {
  const wire = VENDORS[vendor];
  if (wire === undefined) throw new Error(`there is no vendor ${vendor}`);
  const args = [path, String(vendor), String(subject), String(shape.characters)];
  return bytesOfChild(args, bodyOf(wire, shape).bytes, LIMIT);
}

async function measure(vendor: number, subject: number, characters: number, file: string): Promise<number> {
  const [wire, reader] = [VENDORS[vendor], SUBJECTS[subject]];
  if (wire === undefined || reader === undefined)
    throw new Error("node bench/memory.ts VENDOR SUBJECT CHARACTERS FILE");
  // A short one first, long enough for V8 to compile what is hot: that costs memory once, and is not the body's.
  const short = bodyOf(wire, { name: "short", calls: 1, characters: 200_000, fragment: [4, 16] });
  await reader.run(short, chunksOf(short, 1460));
  const body = { ...short, bytes: readFileSync(file), argumentCharacters: characters };
  return peakOf(chunksOf(body, 1460), async (chunks) => {
    const found = await reader.run(body, chunks);
    if (found !== characters) throw new Error(`${reader.name} found ${found} characters of ${characters}`);
  });
}

if (process.argv[1] === path) {
  const [, , vendor, subject, characters, file = ""] = process.argv;
  console.log(await measure(Number(vendor), Number(subject), Number(characters), file));
}
