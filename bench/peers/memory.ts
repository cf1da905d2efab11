// node bench/peers/memory.ts WIRE NUMBER CHARACTERS FILE        (a child of bench.ts)
//
// Reads one long call once, in a process of its own, and prints the system's peak of its memory above what it held before,
// in bytes. The body comes from a file: making it takes more memory than reading it. Owns that measurement, which looks at
// every chunk that is taken.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chunksOf, makeBody, type Body } from "../bodies.ts";
import { contestants } from "./contestants.ts";
import { asVendorSends } from "./vendor-body.ts";

const path = fileURLToPath(import.meta.url);

const bodyOf = (wire: Body["protocol"], characters: number): Body =>
  asVendorSends(makeBody(wire, { name: "long", calls: 1, characters, fragment: [4, 16] }));

/** Runs the child; gives bytes, or undefined where it was stopped or read the wrong thing. */
export async function peakMemory(
  wire: Body["protocol"],
  contestant: number,
  characters: number,
  limit: number,
): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-bench-"));
  const file = join(folder, "body");
  writeFileSync(file, bodyOf(wire, characters).bytes);
  // A small young generation: without it most of the peak is garbage that V8 saw no need to collect.
  const args = ["--expose-gc", "--max-semi-space-size=1", path, wire, String(contestant), String(characters), file];
  const options = { timeout: limit, killSignal: "SIGKILL" as const };
  const bytes = await new Promise<number | undefined>((resolve) => {
    execFile(process.execPath, args, options, (error, output) => resolve(error ? undefined : Number(output)));
  });
  rmSync(folder, { recursive: true });
  return bytes;
}

async function measure(wire: Body["protocol"], contestant: number, characters: number, file: string): Promise<number> {
  const reader = contestants(wire)[contestant];
  // A short one first: what is loaded late and compiled once is not the body's.
  const short = bodyOf(wire, 2_000);
  await reader?.run(short, chunksOf(short, 1460), 60_000);
  const body = { ...short, bytes: readFileSync(file), argumentCharacters: characters };
  const chunks = chunksOf(body, 1460);
  globalThis.gc?.();
  const [before, highest] = [process.memoryUsage.rss(), process.resourceUsage().maxRSS];
  let peak = before;
  const watched = new Proxy(chunks, {
    get(target, key) {
      peak = Math.max(peak, process.memoryUsage.rss());
      return Reflect.get(target, key) as unknown;
    },
  });
  const reading = await reader?.run(body, watched, 60_000);
  if (reading?.characters !== characters) throw new Error(reading?.error ?? `found ${reading?.characters} characters`);
  // The system's peak counts where it rose: loading the packages may have taken more than reading does.
  const { maxRSS } = process.resourceUsage();
  return Math.max(peak, process.memoryUsage.rss(), maxRSS > highest ? maxRSS * 1024 : 0) - before;
}

if (process.argv[1] === path) {
  const [, , wire, contestant, characters, file = ""] = process.argv;
  console.log(await measure(wire as Body["protocol"], Number(contestant), Number(characters), file));
  process.exit(0);
}
