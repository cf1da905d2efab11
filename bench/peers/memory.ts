// node --expose-gc bench/peers/memory.ts WIRE NUMBER CHARACTERS      (a child of bench.ts)
//
// Reads one long call once, in a process of its own, and prints the highest memory above what was there before, in bytes.
// Owns the sampling: at every chunk, and the system's own peak at the end.

import { fileURLToPath } from "node:url";
import { execFile } from "node:child_process";
import { chunksOf, makeBody, type Body } from "../bodies.ts";
import { contestants } from "./contestants.ts";
import { asVendorSends } from "./vendor-body.ts";

const path = fileURLToPath(import.meta.url);

/** Runs the child; gives bytes, or undefined where it was stopped or read the wrong thing. */
export function peakMemory(wire: Body["protocol"], contestant: number, characters: number, limit: number) {
  return new Promise<number | undefined>((resolve) => {
    execFile(
      process.execPath,
      ["--expose-gc", path, wire, String(contestant), String(characters)],
      { timeout: limit, killSignal: "SIGKILL" },
      (error, output) => resolve(error ? undefined : Number(output)),
    );
  });
}

async function measure(wire: Body["protocol"], contestant: number, characters: number): Promise<number> {
  const reader = contestants(wire)[contestant];
  const bodyOf = (length: number): Body =>
    asVendorSends(makeBody(wire, { name: "long", calls: 1, characters: length, fragment: [4, 16] }));
  // A short one first: what is loaded late and compiled once is not the body's.
  const short = bodyOf(1_000);
  await reader?.run(short, chunksOf(short, 1460), 60_000);
  const body = bodyOf(characters);
  const chunks = chunksOf(body, 1460);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const reading = await reader?.run(body, chunks, 60_000, () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  });
  if (reading?.characters !== body.argumentCharacters) throw new Error(reading?.error ?? "wrong length");
  return Math.max(peak, process.resourceUsage().maxRSS * 1024) - before;
}

if (process.argv[1] === path) {
  const [, , wire, contestant, characters] = process.argv;
  console.log(await measure(wire as Body["protocol"], Number(contestant), Number(characters)));
  process.exit(0);
}
