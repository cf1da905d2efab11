// One file of a scan: the bodies in it, read and counted. Owns what a file is taken for: a body, a log with a body in each
// line, or no stream at all. Keeps nothing of a body but its counts.

import { exchangeBeside } from "@unbraid/server/recordings";
import { readerFor, readRecorded, type ReadSettings } from "../input/drive.ts";
import { inputFailure, openFile } from "../input/open.ts";
import { isRecordedExchange, isReportOfCalls } from "../input/recognise.ts";
import { FactsTaker } from "./facts.ts";
import { type BadLine, isLog, linesOf, type LogFields, type LoggedBody, loggedBody } from "./log-lines.ts";
import type { Found } from "./paths.ts";
import type { ReportBuilder } from "./report.ts";

/** How files are read. */
export interface ScanSettings {
  readonly reading: ReadSettings;
  readonly fields: LogFields;
}

/** Endings of logs; what is in them tells whether they are one. */
const LOG = /\.(jsonl|log)(\.(gz|zst))?$/i;

/** Lines without a body that are told of one by one in a file. */
const SAID_LINES = 3;

/**
 * Reads one file into a report. Never rejects for what is in the file or becomes of it.
 *
 * @param found Which file.
 * @param stop Aborted where no more is to be read; what was read of the file is left out then.
 */
export async function scanFile(
  found: Found,
  settings: ScanSettings,
  report: ReportBuilder,
  stop: AbortSignal,
): Promise<void> {
  if ("problem" in found) return report.broken(found.path, found.problem);
  try {
    if (settings.fields.body !== undefined || (LOG.test(found.path) && (await isLog(linesOf(openFile(found.path))))))
      await scanLog(found.path, settings, report, stop);
    else await scanBody(found, settings, report, stop);
  } catch (error) {
    report.broken(found.path, inputFailure(error).message);
  }
}

async function scanBody(
  { path, sure }: Exclude<Found, { problem: string }>,
  { reading }: ScanSettings,
  report: ReportBuilder,
  stop: AbortSignal,
): Promise<void> {
  const taker = new FactsTaker();
  let bytes = 0;
  const { protocol, failure, interrupted, recorded } = await readRecorded(path, openFile(path), stop, reading, {
    bytes: (chunk) => (bytes += chunk.length),
    events: (events) => {
      for (const event of events) taker.add(event);
    },
  });
  if (interrupted) return;
  // A file that could not be opened holds no response.
  if (failure !== undefined) report.broken(path, failure.message);
  if (failure !== undefined && bytes === 0) return;
  if (!sure && !taker.recognised && (await isRecordedExchange(path))) return;
  if (!sure && (!taker.recognised || (taker.erred && (await isReportOfCalls(path))))) return report.skip();
  if (!taker.recognised && failure === undefined && LOG.test(path))
    return report.broken(path, "no stream, and no log with streams in the usual fields; --field names another");
  report.file();
  const server = recorded ? ((await exchangeBeside(path))?.upstream ?? null) : null;
  report.add(taker.facts({ name: path, protocol, server }, bytes, failure !== undefined));
}

async function scanLog(
  path: string,
  { reading, fields }: ScanSettings,
  report: ReportBuilder,
  stop: AbortSignal,
): Promise<void> {
  report.file();
  let line = 0;
  const bad: BadLine[] = [];
  let badLines = 0;
  for await (const text of linesOf(openFile(path))) {
    if (stop.aborted) break;
    const logged = loggedBody(text, ++line, fields);
    if (logged === undefined) continue;
    if ("body" in logged) addLogged(path, logged, reading, report);
    else if (++badLines <= SAID_LINES) bad.push(logged);
  }
  if (badLines === 0) return;
  const words = bad.map((one) => `line ${one.line}: ${one.problem}`).join("; ");
  report.broken(path, badLines > bad.length ? `${words}; and ${badLines - bad.length} more lines` : words);
}

/** The line is held whole already, so it is read in one go. */
function addLogged(
  path: string,
  { line, body, model, server }: LoggedBody,
  reading: ReadSettings,
  report: ReportBuilder,
): void {
  const reader = readerFor(reading);
  const taker = new FactsTaker();
  for (const piece of typeof body === "string" ? [body] : body)
    for (const event of reader.push(piece)) taker.add(event);
  for (const event of reader.end()) taker.add(event);
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : 0;
  report.add(taker.facts({ name: `${path}:${line}`, protocol: reader.protocol ?? null, server, model }, bytes));
}
