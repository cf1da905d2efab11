// The options that several commands share. Owns their flags, their checking, and what becomes of them.

import { type Command, InvalidArgumentError, Option } from "commander";
import { type ProtocolName, wires } from "unbraid";
import { Misuse } from "../failure.ts";
import type { ReadSettings } from "../input/drive.ts";
import { STDIN } from "../input/open.ts";
import { columnsOf, type Io } from "../io.ts";
import type { Page } from "../terminal/page.ts";
import { styleOf, wantsColour } from "../terminal/style.ts";
import { ToolCheck } from "../tools/check.ts";
import { readToolsFile } from "../tools/declared.ts";

/** What the shared flags gave. */
export interface SharedFlags {
  readonly json?: true;
  readonly protocol?: ProtocolName;
  readonly tools?: string;
  readonly chunkSize?: number;
  readonly maxArgumentBytes?: number;
  readonly maxFrameBytes?: number;
  readonly color?: boolean;
}

/** Adds `--color` and `--no-color`. */
export function addColourFlags(command: Command): Command {
  return command
    .addOption(new Option("--color", "colour even where the output is no terminal").hideHelp())
    .option("--no-color", "no colour, as NO_COLOR=1; FORCE_COLOR=1 forces it");
}

/** Adds the flags that say how a body is read. */
export function addReadingFlags(command: Command): Command {
  return command
    .addOption(protocolOption())
    .option("--tools <file>", "declared tools, or a request with them (JSON), to check the calls against")
    .option("--chunk-size <n>", "feed the body n bytes at a time", wholeNumber)
    .option("--max-argument-bytes <n>", "longest argument text of a call (32 MiB)", wholeNumber)
    .option("--max-frame-bytes <n>", "longest message of the wire (16 MiB)", wholeNumber);
}

/** The flag that names the wire. */
export function protocolOption(): Option {
  return new Option("--protocol <name>", "the wire, if it is not to be found from the bytes").choices(
    Object.keys(wires),
  );
}

/** A whole number above 0, written in digits. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value))
    throw new InvalidArgumentError("It must be a whole number above 0.");
  return value;
}

/** How bodies are read and shown, from the flags. */
export interface Settings {
  readonly reading: ReadSettings;
  readonly check: ToolCheck | undefined;
}

/**
 * Reads what the flags name.
 *
 * @throws Misuse where the tools file cannot be used.
 */
export async function settingsOf(flags: SharedFlags): Promise<Settings> {
  const check = flags.tools === undefined ? undefined : new ToolCheck(await readToolsFile(flags.tools));
  return {
    check,
    reading: {
      protocol: flags.protocol,
      tools: check?.tools,
      chunkSize: flags.chunkSize,
      limits: {
        ...(flags.maxArgumentBytes === undefined ? {} : { maxArgumentBytes: flags.maxArgumentBytes }),
        ...(flags.maxFrameBytes === undefined ? {} : { maxFrameBytes: flags.maxFrameBytes }),
      },
    },
  };
}

/** The look of standard output. */
export function pageOf(io: Io, flags: Pick<SharedFlags, "color">): Page {
  const colour = wantsColour({ flag: flags.color, env: io.env, terminal: io.stdout.isTerminal });
  return { style: styleOf(colour), columns: () => columnsOf(io.stdout, io.env) };
}

/**
 * Refuses what cannot be read: standard input twice.
 *
 * @throws Misuse
 */
export function checkInputs(files: readonly string[]): void {
  if (files.filter((file) => file === STDIN).length > 1)
    throw new Misuse('standard input can be read only once: give "-" once');
}

/** Tells a person at the keyboard what the command waits for. */
export async function sayWaiting(file: string, io: Io): Promise<void> {
  if (file === STDIN && io.stdinIsTerminal)
    await io.stderr.write("unbraid: reading a stream from the keyboard; end it with Ctrl-D\n");
}
