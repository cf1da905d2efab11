// `unbraid calls`: what each body amounts to. Owns the command's loop over files; what is said of one is in report/.

import type { Command } from "commander";
import { Collector } from "unbraid";
import { EXIT, type InputFailure } from "../failure.ts";
import { readBody } from "../input/drive.ts";
import type { Io } from "../io.ts";
import { bodyReport } from "../report/body.ts";
import { documentOf, isBroken } from "../report/document.ts";
import { jsonLine } from "../report/json-line.ts";
import { Tally } from "../report/tally.ts";
import { visible } from "../terminal/fit.ts";
import {
  addColourFlags,
  addReadingFlags,
  checkInputs,
  pageOf,
  sayWaiting,
  settingsOf,
  type SharedFlags,
} from "./options.ts";

/** Declares the command. */
export function declareCalls(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  const command = program
    .command("calls")
    .helpOption("-h, --help", "this page")
    .summary("the tool calls in recorded or live streams")
    .description("Read streams and say which tool calls are in them, whether they are whole, and which may run.")
    .argument("<file...>", 'gzip or not; "-" is standard input')
    .option("--json", "one JSON document a line, a line a file");
  addColourFlags(addReadingFlags(command))
    .addHelpText("after", EXAMPLES)
    .action((files: string[], flags: SharedFlags) => run(() => calls(files, flags, io)));
}

const EXAMPLES = `
Examples:
  unbraid calls recording.sse
  unbraid calls --json recordings/*.sse.gz | jq .runnable
  curl -sN "$URL" -d @request.json | unbraid calls --tools request.json -

Exit status: 0 all read; 1 a stream was broken or a file unreadable; 2 misuse.`;

async function calls(files: readonly string[], flags: SharedFlags, io: Io): Promise<number> {
  checkInputs(files);
  const { reading, check } = await settingsOf(flags);
  const page = pageOf(io, flags);
  let status: number = EXIT.ok;
  for (const [at, file] of files.entries()) {
    await sayWaiting(file, io);
    const collector = new Collector();
    const tally = new Tally();
    const outcome = await readBody(file, io, reading, {
      events: (events) => {
        for (const event of events) {
          collector.add(event);
          tally.add(event);
        }
      },
    });
    if (outcome.failure !== undefined) await sayFailure(file, outcome.failure, io);
    const found = check?.all(collector.result.calls) ?? [];
    const document = documentOf(file, collector.result, outcome, found);
    const text =
      flags.json === true ? jsonLine(document) : (at === 0 ? "" : "\n") + bodyReport(document, tally, found, page);
    await io.stdout.write(`${text}\n`);
    if (isBroken(document)) status = EXIT.broken;
    if (outcome.interrupted) return EXIT.interrupted;
  }
  return status;
}

/** One line on standard error for a file that could not be read, or not to its end. */
export async function sayFailure(file: string, failure: InputFailure, io: Io): Promise<void> {
  await io.stderr.write(`unbraid: cannot read ${visible(file)}: ${visible(failure.message)}\n`);
}
