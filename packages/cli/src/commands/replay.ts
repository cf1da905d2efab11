// `unbraid replay`: recordings served again. Owns the flags and what is said at the start; the server is @unbraid/server.

import { type Command, InvalidArgumentError } from "commander";
import { EXIT, Misuse, portTrouble } from "../failure.ts";
import { inputFailure } from "../input/open.ts";
import type { Io } from "../io.ts";
import { wholeNumber } from "./options.ts";

/** The port where none is given. */
const PORT = 8788;

interface ReplayFlags {
  readonly port?: number;
  readonly host?: string;
  readonly speed?: number;
}

/** Declares the command. */
export function declareReplay(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  program
    .command("replay")
    .helpOption("-h, --help", "this page")
    .summary("serve recordings again, without a network")
    .description("Answer requests with what unbraid proxy --record kept, at the pace at which it came.")
    .argument("<dir>", "the folder of the recordings")
    .option("--port <n>", `where clients connect (${PORT}); 0 is any free one`, (text) =>
      text === "0" ? 0 : wholeNumber(text),
    )
    .option("--host <address>", "which address to listen on (127.0.0.1: this machine alone)")
    .option("--speed <n>", "times as fast as it came (1), or max: at once", speed)
    .addHelpText("after", "\nExamples:\n  unbraid replay recordings\n  unbraid replay recordings --speed max --port 0")
    .action((folder: string, flags: ReplayFlags) => run(() => replay(folder, flags, io)));
}

function speed(text: string): number {
  if (text === "max") return Infinity;
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || value <= 0)
    throw new InvalidArgumentError("It must be a number above 0, or max.");
  return value;
}

async function replay(folder: string, flags: ReplayFlags, io: Io): Promise<number> {
  const { startReplay } = await import("@unbraid/server");
  const running = await startReplay({ port: PORT, ...flags, folder }).catch((error: unknown) => {
    const why = portTrouble(error) ?? `cannot serve ${folder}: ${inputFailure(error).message}`;
    throw new Misuse(why, { cause: error });
  });
  if (running.recordings === 0) {
    await running.stop();
    throw new Misuse(`there is no recording in ${folder}; unbraid proxy --record ${folder} makes some`);
  }
  await io.stderr.write(`unbraid replay: ${running.recordings} recordings at ${running.url}\n`);
  await new Promise<void>((resolve) => {
    for (const signal of [io.interrupt, io.termination()]) {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
    }
  });
  await running.stop();
  return io.interrupt.aborted ? EXIT.interrupted : EXIT.ok;
}
