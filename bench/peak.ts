// Peak memory of one reading, in a process of its own: what other readings left behind is not in it. Owns that measurement,
// which looks at the system's figures at every chunk that is taken.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs a script that prints a number of bytes, with the body in a file: making it takes more memory than reading it.
 *
 * @param args The script and its arguments; the file's path is put behind them.
 * @param limit Milliseconds after which it is stopped.
 * @returns Bytes; undefined where it failed or was stopped.
 */
export async function bytesOfChild(
  args: readonly string[],
  body: Uint8Array,
  limit: number,
): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-bench-"));
  const file = join(folder, "body");
  writeFileSync(file, body);
  // A small young generation: without it most of the peak is garbage that V8 saw no need to collect.
  const all = ["--expose-gc", "--max-semi-space-size=1", ...args, file];
  const options = { timeout: limit, killSignal: "SIGKILL" as const };
  const bytes = await new Promise<number | undefined>((resolve) => {
    execFile(process.execPath, all, options, (error, output) => resolve(error ? undefined : Number(output)));
  });
  rmSync(folder, { recursive: true });
  return bytes;
}

/**
 * The peak of this process's memory while something is read, above what it held before.
 *
 * @param chunks What is read.
 * @param read Reads the chunks, which it takes by their index or as an iterable.
 * @returns Bytes.
 */
export async function peakOf(
  chunks: readonly Uint8Array[],
  read: (chunks: readonly Uint8Array[]) => unknown,
): Promise<number> {
  globalThis.gc?.();
  const [before, highest] = [process.memoryUsage.rss(), process.resourceUsage().maxRSS];
  let peak = before;
  const watched = new Proxy(chunks, {
    get(target, key) {
      peak = Math.max(peak, process.memoryUsage.rss());
      return Reflect.get(target, key) as unknown;
    },
  });
  await read(watched);
  // The system's own peak counts where it rose: loading may have taken more than reading does.
  const { maxRSS } = process.resourceUsage();
  return Math.max(peak, process.memoryUsage.rss(), maxRSS > highest ? maxRSS * 1024 : 0) - before;
}
