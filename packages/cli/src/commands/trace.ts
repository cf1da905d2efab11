// `unbraid trace`: one stream, line by line as it comes. Owns the command; what a line looks like is in trace/.

import type { Command } from "commander";
import { Collector, type StreamEvent } from "unbraid";
import { EXIT } from "../failure.ts";
import { readBody } from "../input/drive.ts";
import { recordedTimes } from "../input/recorded.ts";
import type { Io } from "../io.ts";
import { documentOf, isBroken } from "../report/document.ts";
import { jsonLine } from "../report/json-line.ts";
import { TraceSession } from "../trace/session.ts";
import { sayFailure } from "./calls.ts";
import {
  addColourFlags,
  addReadingFlags,
  pageOf,
  sayWaiting,
  type Settings,
  settingsOf,
  type SharedFlags,
} from "./options.ts";

interface TraceFlags extends SharedFlags {
  readonly callsOnly?: true;
}

/** Declares the command. */
export function declareTrace(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  const command = program
    .command("trace")
    .helpOption("-h, --help", "this page")
    .summary("look at one stream, fragment by fragment")
    .description(
      "Show a stream fragment by fragment: where it came from, which call it belongs to, whether the arguments so " +
        "far parse. Then the calls, and what a naive reader makes of the same bytes.",
    )
    .argument("<file>", 'gzip or not; "-" is standard input, live')
    .option("--calls-only", "a run of text or reasoning in one line")
    .option("--json", "one JSON event a line");
  addColourFlags(addReadingFlags(command))
    .addHelpText("after", EXAMPLES)
    .action((file: string, flags: TraceFlags) => run(() => trace(file, flags, io)));
}

const EXAMPLES = `
Examples:
  unbraid trace recording.sse
  curl -sN "$URL" -d @request.json | unbraid trace -
  unbraid trace --tools request.json --calls-only recording.sse.gz
  unbraid trace --json recording.sse | jq 'select(.type == "notice")'

Exit status: 0 read to its end; 1 the stream was broken; 2 misuse; 130 Ctrl-C.`;

async function trace(file: string, flags: TraceFlags, io: Io): Promise<number> {
  const settings = await settingsOf(flags);
  await sayWaiting(file, io);
  return flags.json === true ? traceJson(file, settings, io) : tracePage(file, flags, settings, io);
}

async function tracePage(file: string, flags: TraceFlags, settings: Settings, io: Io): Promise<number> {
  const timed = flags.chunkSize === undefined && (await recordedTimes(file)) !== undefined;
  const session = new TraceSession(io.stdout, pageOf(io, flags), { callsOnly: flags.callsOnly === true, timed });
  const outcome = await readBody(file, io, settings.reading, session);
  if (outcome.failure !== undefined) await sayFailure(file, outcome.failure, io);
  if (outcome.failure !== undefined && !session.begun) return EXIT.broken;
  const document = await session.end(file, outcome, settings.check);
  if (outcome.interrupted) return EXIT.interrupted;
  return isBroken(document) ? EXIT.broken : EXIT.ok;
}

async function traceJson(file: string, settings: Settings, io: Io): Promise<number> {
  const collector = new Collector();
  const outcome = await readBody(file, io, settings.reading, {
    events: async (events: readonly StreamEvent[]) => {
      for (const event of events) collector.add(event);
      await io.stdout.write(events.map((event) => `${jsonLine(event)}\n`).join(""));
    },
  });
  if (outcome.failure !== undefined) await sayFailure(file, outcome.failure, io);
  if (outcome.interrupted) return EXIT.interrupted;
  return isBroken(documentOf(file, collector.result, outcome, [])) ? EXIT.broken : EXIT.ok;
}
