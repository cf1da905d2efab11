// Many files on all cores. Owns the threads, what each works on, and what becomes of a batch whose thread was lost: its files
// are read one by one, and the file that takes a thread down twice is told of as broken. Files are taken from the walk only
// as threads are free, so that memory does not grow with their number.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { messageOf } from "../failure.ts";
import type { Found } from "./paths.ts";
import { ReportBuilder, type ScanReport } from "./report.ts";
import { scanFile, type ScanSettings } from "./scanner.ts";

/** How a scan is run. */
export interface PoolSettings extends ScanSettings {
  /** Threads beside this one; 0: this one does it. */
  readonly threads: number;
  /** Ends the scan: what was read so far is the report. */
  readonly stop: AbortSignal;
  /** Takes how much was done, after each batch. */
  readonly progress: (files: number, bytes: number) => void;
}

/** Files of a batch: enough to hide the way between threads, few enough to keep an interrupted scan's loss small. */
const BATCH_FILES = 32;

/** Bytes of a batch, so that big files are spread. */
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Reads files into one report.
 *
 * @param files The walk; it is left where the scan is stopped.
 */
export async function scanFiles(files: AsyncIterable<Found>, settings: PoolSettings): Promise<ScanReport> {
  const report = new ReportBuilder();
  const { stop, threads, progress } = settings;
  const batches = batchesOf(files, stop);
  // One queue for all hands: a generator answers one question after another.
  const hands = Array.from({ length: Math.max(1, threads) }, async () => {
    const hand = threads === 0 ? new OwnHand(settings) : new Thread(settings);
    try {
      for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
        if (stop.aborted) break;
        const done = await hand.scan(next.value);
        if (done === undefined) break;
        report.merge(done);
        progress(next.value.length, bytesOf(next.value));
      }
    } finally {
      await hand.end();
    }
  });
  await Promise.all(hands);
  if (stop.aborted) report.interrupt();
  return report.result;
}

async function* batchesOf(
  files: AsyncIterable<Found>,
  stop: AbortSignal,
): AsyncGenerator<readonly Found[], void, undefined> {
  let batch: Found[] = [];
  let bytes = 0;
  for await (const found of files) {
    if (stop.aborted) return;
    batch.push(found);
    bytes += bytesOf([found]);
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function bytesOf(batch: readonly Found[]): number {
  return batch.reduce((sum, found) => sum + ("bytes" in found ? found.bytes : 0), 0);
}

/** Something that reads batches. */
interface Hand {
  /** The report of a batch; undefined where the scan was stopped meanwhile. */
  scan(batch: readonly Found[]): Promise<ScanReport | undefined>;
  end(): Promise<void>;
}

/** This thread. */
class OwnHand implements Hand {
  readonly #settings: PoolSettings;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  async scan(batch: readonly Found[]): Promise<ScanReport> {
    const builder = new ReportBuilder();
    for (const found of batch) {
      if (this.#settings.stop.aborted) break;
      await scanFile(found, this.#settings, builder, this.#settings.stop);
    }
    return builder.result;
  }

  async end(): Promise<void> {}
}

/** A thread of its own, made again where it is lost. */
class Thread implements Hand {
  readonly #settings: PoolSettings;
  #worker: Worker | undefined;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  async scan(batch: readonly Found[]): Promise<ScanReport | undefined> {
    try {
      return await this.#ask(batch);
    } catch (error) {
      if (batch.length > 1) return this.#oneByOne(batch);
      const builder = new ReportBuilder();
      for (const { path } of batch) builder.broken(path, `reading it took a thread down: ${messageOf(error)}`);
      return builder.result;
    }
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #oneByOne(batch: readonly Found[]): Promise<ScanReport | undefined> {
    const builder = new ReportBuilder();
    for (const found of batch) {
      const done = await this.scan([found]);
      if (done === undefined) return undefined;
      builder.merge(done);
    }
    return builder.result;
  }

  #ask(batch: readonly Found[]): Promise<ScanReport | undefined> {
    const { stop } = this.#settings;
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off("message", answered).off("error", lost).off("exit", lost);
        stop.removeEventListener("abort", stopped);
      };
      const answered = (report: ScanReport): void => {
        settle();
        resolve(report);
      };
      const stopped = (): void => {
        settle();
        resolve(undefined);
      };
      const lost = (why: unknown): void => {
        settle();
        this.#worker = undefined;
        // An error, or the status it ended with.
        reject(why instanceof Error ? why : new Error(`it ended with status ${String(why)}`));
      };
      worker.on("message", answered).on("error", lost).on("exit", lost);
      stop.addEventListener("abort", stopped);
      if (stop.aborted) stopped();
      // eslint-disable-next-line unicorn/require-post-message-target-origin -- that of a window; a thread's has none
      else worker.postMessage(batch);
    });
  }

  #start(): Worker {
    const { reading, fields } = this.#settings;
    const file = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, {
      workerData: { reading, fields } satisfies ScanSettings,
      // What a body leaves behind is garbage at once. With V8's own choice each thread lets 100 MB of it lie.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    // Without a listener an error between two batches would end the process.
    worker.on("error", () => {});
    return worker;
  }
}
