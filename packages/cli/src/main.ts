// The command line. Owns the program with its commands, and what becomes of everything that can go wrong: one line on
// standard error and an exit status, never a stack trace.

import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { declareCalls } from "./commands/calls.ts";
import { declareCompletion } from "./commands/completion.ts";
import { declareDemo } from "./commands/demo.ts";
import { declareFormats } from "./commands/formats.ts";
import { declareInspect } from "./commands/inspect.ts";
import { declareProxy } from "./commands/proxy.ts";
import { declareReplay } from "./commands/replay.ts";
import { declareScan } from "./commands/scan.ts";
import { declareTrace } from "./commands/trace.ts";
import { declareTurn } from "./commands/turn.ts";
import { EXIT, messageOf, Misuse, OutputClosed } from "./failure.ts";
import type { Io } from "./io.ts";
import { visible } from "./terminal/fit.ts";

/**
 * Runs the command.
 *
 * @param argv The arguments behind the name of the command.
 * @param io The outside world.
 * @returns The exit status.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let status: number = EXIT.ok;
  let out = "";
  let err = "";
  const program = programOf(io, async (action) => {
    status = await action();
  });
  // Commander writes at once; our outputs take their time.
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => (out += text),
      writeErr: (text) => (err += text),
      outputError: () => {},
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
    });
  }
  try {
    if (argv.length === 0) {
      await io.stderr.write(program.helpInformation());
      return EXIT.misuse;
    }
    // `unbraid help trace` is as good as `unbraid trace --help`.
    const asked = argv[0] === "help" ? argv[1] : undefined;
    const isKnown = asked === undefined || program.commands.some((command) => command.name() === asked);
    const args = argv[0] !== "help" ? [...argv] : isKnown ? [...argv.slice(1, 2), "--help"] : [asked];
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    status = await failed(error, { argv, program, io, help: out + err });
  }
  return status;
}

function programOf(io: Io, run: (action: () => Promise<number>) => Promise<void>): Command {
  const program = new Command("unbraid")
    .usage("<command> [options] [file...]")
    .description("See the tool calls in streamed model output, and what went wrong with them.")
    // Arguments and options are in each command's own help.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "this page; behind a command, its own")
    .helpCommand(false)
    .addHelpText("after", EXAMPLES);
  declareTrace(program, io, run);
  declareInspect(program, io, run);
  declareCalls(program, io, run);
  declareTurn(program, io, run);
  declareProxy(program, io, run);
  declareReplay(program, io, run);
  declareScan(program, io, run);
  declareFormats(program, io, run);
  declareDemo(program, io, run);
  declareCompletion(program, io, run);
  return program;
}

const EXAMPLES = `
Examples:
  curl -sN "$URL" -d @request.json | unbraid trace -   look at yours
  unbraid scan recordings/                             look at thousands
Exit status: 0 all read; 1 a stream was broken; 2 misuse; 130 Ctrl-C.`;

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return String((manifest as { version?: unknown }).version);
}

/** What there is to say why a run of the command failed. */
interface Failed {
  readonly argv: readonly string[];
  readonly program: Command;
  readonly io: Io;
  /** What commander has written meanwhile. */
  readonly help: string;
}

/** Says what went wrong. */
async function failed(error: unknown, { argv, program, io, help }: Failed): Promise<number> {
  try {
    if (error instanceof OutputClosed) return EXIT.ok;
    if (error instanceof CommanderError && error.exitCode === 0) {
      await io.stdout.write(help);
      return EXIT.ok;
    }
    const misuse = error instanceof CommanderError || error instanceof Misuse;
    const words =
      error instanceof CommanderError ? `${plainWords(error.message)} (${helpHint(argv, program)})` : messageOf(error);
    const stack = (io.env["UNBRAID_DEBUG"] ?? "") !== "" && error instanceof Error ? `${error.stack}\n` : "";
    const hint = misuse || stack !== "" ? "" : " (a fault of unbraid; UNBRAID_DEBUG=1 shows where)";
    await io.stderr.write(`${stack}unbraid: ${visible(words)}${hint}\n`);
    return misuse ? EXIT.misuse : EXIT.broken;
  } catch (again) {
    // Nobody reads what we write: the status is all that is left to say.
    if (again instanceof OutputClosed) return EXIT.ok;
    throw again;
  }
}

/** Commander's message in one line. */
function plainWords(message: string): string {
  return message
    .replace(/^error: /, "")
    .replace(/\n\(Did you mean (.*)\?\)$/, "; did you mean $1?")
    .replaceAll("\n", " ");
}

function helpHint([command = ""]: readonly string[], program: Command): string {
  const isKnown = program.commands.some((known) => known.name() === command);
  return isKnown ? `see unbraid ${command} --help` : "see unbraid --help";
}
