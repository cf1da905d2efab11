// `unbraid scan`: an audit of many recordings. Owns the command's flags, what goes to standard output and to files, and the
// exit status; reading and adding up are in scan/.

import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { EXIT, Misuse } from "../failure.ts";
import { inputFailure, STDIN } from "../input/open.ts";
import type { Io } from "../io.ts";
import { jsonLine } from "../report/json-line.ts";
import { scanCsv } from "../scan/csv.ts";
import { scanHtml } from "../scan/html.ts";
import { mergeReports } from "../scan/merge.ts";
import { findFiles } from "../scan/paths.ts";
import { scanFiles } from "../scan/pool.ts";
import { Progress } from "../scan/progress.ts";
import type { ScanReport } from "../scan/report.ts";
import { scanTable } from "../scan/table.ts";
import { visible } from "../terminal/fit.ts";
import { addColourFlags, addReadingFlags, pageOf, settingsOf, type SharedFlags, wholeNumber } from "./options.ts";

interface ScanFlags extends SharedFlags {
  readonly csv?: true;
  readonly html?: string;
  readonly merge?: true;
  readonly jobs?: number;
  readonly field?: string;
  readonly modelField?: string;
  readonly serverField?: string;
  readonly progress?: boolean;
}

/** Declares the command. */
export function declareScan(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  const command = program
    .command("scan")
    .helpOption("-h, --help", "this page")
    .summary("how often each model gets it wrong, over many recordings")
    .description("Read recordings by the thousand and say, by model, server and protocol, what became of their calls.")
    .argument("<path...>", "files, directories, patterns; compressed or not; with --merge reports")
    .addOption(new Option("--json", "the report as JSON, which --merge reads").conflicts("csv"))
    .option("--csv", "the report as CSV, a row a model")
    .option("--html <file>", "write the report as one HTML page, too")
    .option("--merge", "add up reports that --json wrote, instead of reading recordings")
    .option("--jobs <n>", "threads (one a core)", wholeNumber)
    .option("--field <path>", "logs: where in a line's JSON object the body stands (response.body)")
    .option("--model-field <path>", "logs: where the model stands, if the body does not say it")
    .option("--server-field <path>", "logs: where the server stands")
    .option("--no-progress", "no progress line");
  addColourFlags(addReadingFlags(command))
    .addHelpText("after", EXAMPLES)
    .action((paths: string[], flags: ScanFlags) => run(() => scan(paths, flags, io)));
}

const EXAMPLES = `
Examples:
  unbraid scan recordings/
  unbraid scan 'logs/**/*.jsonl.zst' --field response.body --html report.html
  unbraid scan --json shard-1/ > 1.json; unbraid scan --merge 1.json 2.json

Exit status: 0 all read; 1 a file could not be read; 2 misuse; 130 Ctrl-C.
What was irregular in a stream is in the report and does not change the status.`;

async function scan(paths: readonly string[], flags: ScanFlags, io: Io): Promise<number> {
  const begun = performance.now();
  const report = flags.merge === true ? await mergeReports(paths) : await scanned(paths, flags, io);
  const seconds = flags.merge === true ? undefined : (performance.now() - begun) / 1000;
  if (flags.html !== undefined) await writePage(flags.html, report);
  await io.stdout.write(textOf(report, flags, io, seconds));
  // A table of groups has no place for them.
  if (flags.csv === true) for (const { name, message } of report.broken) await sayFailure(name, message, io);
  if (flags.html !== undefined) await io.stderr.write(`unbraid: wrote ${visible(flags.html)}\n`);
  if (report.interrupted === true && io.interrupt.aborted) return EXIT.interrupted;
  return report.brokenFiles > 0 ? EXIT.broken : EXIT.ok;
}

function textOf(report: ScanReport, flags: ScanFlags, io: Io, seconds: number | undefined): string {
  if (flags.json === true) return `${jsonLine(report)}\n`;
  if (flags.csv === true) return scanCsv(report);
  return `${scanTable(report, pageOf(io, flags), seconds)}\n`;
}

async function scanned(paths: readonly string[], flags: ScanFlags, io: Io): Promise<ScanReport> {
  if (paths.includes(STDIN))
    throw new Misuse("scan reads files and folders; for a stream on standard input take unbraid calls -");
  const { reading } = await settingsOf(flags);
  const progress = new Progress(io.stderr);
  const shown = flags.progress !== false && io.stderr.isTerminal;
  const stopCounting = new AbortController();
  const counting = shown
    ? countFiles(paths, progress, AbortSignal.any([io.interrupt, stopCounting.signal]))
    : undefined;
  try {
    return await scanFiles(findFiles(paths), {
      reading,
      fields: { body: flags.field, model: flags.modelField, server: flags.serverField },
      threads: flags.jobs === 1 ? 0 : (flags.jobs ?? availableParallelism()),
      stop: io.interrupt,
      progress: (files, bytes) => shown && progress.advance(files, bytes),
    });
  } finally {
    stopCounting.abort();
    await counting;
    await progress.clear();
  }
}

/** A second walk, ahead of the reading, which tells how much there is. */
async function countFiles(paths: readonly string[], progress: Progress, stop: AbortSignal): Promise<void> {
  for await (const found of findFiles(paths)) {
    if (stop.aborted) return;
    progress.expect("bytes" in found ? found.bytes : 0);
  }
  progress.counted();
}

async function sayFailure(name: string, message: string, io: Io): Promise<void> {
  await io.stderr.write(`unbraid: ${visible(name)}: ${visible(message)}\n`);
}

async function writePage(path: string, report: ScanReport): Promise<void> {
  try {
    await writeFile(path, scanHtml(report, new Date().toISOString().slice(0, 10)));
  } catch (error) {
    throw new Misuse(`cannot write ${path}: ${inputFailure(error).message}`, { cause: error });
  }
}
