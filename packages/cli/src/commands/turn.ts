// `unbraid turn`: what goes back to the vendor after a response. Owns the command's loop over files; what is said of one is
// in turn/.

import type { Command } from "commander";
import { AnswerCollector } from "unbraid/turns";
import { EXIT } from "../failure.ts";
import { readBody, type ReadOutcome } from "../input/drive.ts";
import type { Io } from "../io.ts";
import { isBroken } from "../report/document.ts";
import { jsonLine } from "../report/json-line.ts";
import { decided } from "../turn/decide.ts";
import { turnDocument } from "../turn/document.ts";
import { turnPage } from "../turn/page.ts";
import { sayFailure } from "./calls.ts";
import {
  addColourFlags,
  addReadingFlags,
  checkInputs,
  pageOf,
  sayWaiting,
  settingsOf,
  type SharedFlags,
} from "./options.ts";

interface TurnFlags extends SharedFlags {
  readonly repair?: true;
}

/** Declares the command. */
export function declareTurn(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  const command = program
    .command("turn")
    .helpOption("-h, --help", "this page")
    .summary("what goes back to the vendor after a response")
    .description(
      "Show the assistant turn as the vendor wants it echoed, and corrective results for the calls that cannot run. " +
        "Calls that could run are named, and wait for a result of yours.",
    )
    .argument("<file...>", 'gzip or not; "-" is standard input')
    .option("--json", "one JSON document a line, a line a file")
    .option("--repair", "read a malformed call by its one reading, where there is one");
  addColourFlags(addReadingFlags(command))
    .addHelpText("after", EXAMPLES)
    .action((files: string[], flags: TurnFlags) => run(() => turn(files, flags, io)));
}

const EXAMPLES = `
Examples:
  unbraid turn recording.sse
  unbraid turn --json --tools request.json recording.sse | jq .results

Exit status: 0 all read; 1 a stream was broken or a file unreadable; 2 misuse.`;

async function turn(files: readonly string[], flags: TurnFlags, io: Io): Promise<number> {
  checkInputs(files);
  const settings = await settingsOf(flags);
  const page = pageOf(io, flags);
  let status: number = EXIT.ok;
  for (const [at, file] of files.entries()) {
    await sayWaiting(file, io);
    // The wire is known once its first frames have been read.
    const collector = new AnswerCollector(flags.protocol ?? "openai-chat");
    const outcome = await readBody(file, io, settings.reading, {
      events: (events) => {
        for (const event of events) collector.add(event);
      },
    });
    if (outcome.failure !== undefined) await sayFailure(file, outcome.failure, io);
    const { protocol } = outcome;
    const answers = await Promise.all(
      (protocol === null ? [] : collector.answers).map(async (each) => {
        const answer = { ...each, protocol: protocol ?? each.protocol };
        return { answer, decided: await decided(answer, settings.check, flags.repair === true) };
      }),
    );
    const document = turnDocument(file, answers, errorOf(collector, outcome));
    const text =
      flags.json === true
        ? jsonLine(document)
        : (at === 0 ? "" : "\n") + turnPage(document, collector.answer.rawFinish, page);
    await io.stdout.write(`${text}\n`);
    if (isBroken(document)) status = EXIT.broken;
    if (outcome.interrupted) return EXIT.interrupted;
  }
  return status;
}

function errorOf({ answer }: AnswerCollector, { failure }: ReadOutcome): ReturnType<typeof turnDocument>["error"] {
  return failure === undefined ? answer.error : { code: failure.code, message: failure.message, fatal: true };
}
