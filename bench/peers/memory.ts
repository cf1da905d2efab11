// node bench/peers/memory.ts WIRE NUMBER CHARACTERS FILE        (a child of bench.ts)
//
// Reads one long call once and prints the peak of its memory in bytes.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chunksOf, makeBody, type Body } from "../bodies.ts";
import { bytesOfChild, peakOf } from "../peak.ts";
import { contestants } from "./contestants.ts";
import { asVendorSends } from "./vendor-body.ts";

const path = fileURLToPath(import.meta.url);

const bodyOf = (wire: Body["protocol"], characters: number): Body =>
  asVendorSends(makeBody(wire, { name: "long", calls: 1, characters, fragment: [4, 16] }));

/** Runs the child; gives bytes, or undefined where it was stopped or read the wrong thing. */
export function peakMemory(
  wire: Body["protocol"],
  contestant: number,
  characters: number,
  limit: number,
): Promise<number | undefined> {
  const args = [path, wire, String(contestant), String(characters)];
  return bytesOfChild(args, bodyOf(wire, characters).bytes, limit);
}

async function measure(wire: Body["protocol"], contestant: number, characters: number, file: string): Promise<number> {
  const reader = contestants(wire)[contestant];
  // A short one first: what is loaded late and compiled once is not the body's.
  const short = bodyOf(wire, 2_000);
  await reader?.run(short, chunksOf(short, 1460), 60_000);
  const body = { ...short, bytes: readFileSync(file), argumentCharacters: characters };
  return peakOf(chunksOf(body, 1460), async (chunks) => {
    const reading = await reader?.run(body, chunks, 60_000);
    if (reading?.characters !== characters)
      throw new Error(reading?.error ?? `found ${reading?.characters} characters`);
  });
}

if (process.argv[1] === path) {
  const [, , wire, contestant, characters, file = ""] = process.argv;
  console.log(await measure(wire as Body["protocol"], Number(contestant), Number(characters), file));
  process.exit(0);
}
