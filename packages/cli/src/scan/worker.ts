// A thread of a scan: reads the files that it is given and answers with a report of each batch. Owns nothing between two
// batches, so that a batch whose thread was lost can be given to another.

import { parentPort, workerData } from "node:worker_threads";
import type { Found } from "./paths.ts";
import { ReportBuilder } from "./report.ts";
import { scanFile, type ScanSettings } from "./scanner.ts";

const settings = workerData as ScanSettings;
const never = new AbortController().signal;

parentPort?.on("message", (batch: readonly Found[]) => {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- that of a window; a thread's has none
  void scanBatch(batch).then((report) => parentPort?.postMessage(report));
});

async function scanBatch(batch: readonly Found[]): Promise<unknown> {
  const builder = new ReportBuilder();
  for (const found of batch) await scanFile(found, settings, builder, never);
  return builder.result;
}
