// `unbraid inspect`: responses in a local page. Owns the command: what is shown in the page, and how long it is there; the
// page and its server are a package of their own.

import type { Inspector, LiveResponse, RecordedResponse, ResponseDescription, TimedBytes } from "@unbraid/inspector";
import { type Command, InvalidArgumentError } from "commander";
import { EXIT, InputFailure, messageOf, Misuse, portTrouble } from "../failure.ts";
import { bodiesOf, type BodyFile, checkUnchanged } from "../inspect/bodies.ts";
import { openBrowser } from "../inspect/open-browser.ts";
import type { ReadSettings } from "../input/drive.ts";
import { openInput, STDIN } from "../input/open.ts";
import { recordedTimes } from "../input/recorded.ts";
import { holdsResponse } from "../input/recognise.ts";
import type { Io } from "../io.ts";
import { visible } from "../terminal/fit.ts";
import { counted } from "../terminal/page.ts";
import { sayFailure } from "./calls.ts";
import { checkInputs, protocolOption, sayWaiting, settingsOf, type SharedFlags } from "./options.ts";

interface InspectFlags extends Pick<SharedFlags, "protocol" | "tools"> {
  readonly port?: number;
  readonly open?: true;
}

/** Declares the command. */
export function declareInspect(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  program
    .command("inspect")
    .helpOption("-h, --help", "this page")
    .summary("look at responses in a local page")
    .description(
      "Show responses in a page on this computer: which call got which fragment when, how its arguments grew, what " +
        "other readers make of the same bytes. Without a path there are lessons to look at.",
    )
    .argument("[path...]", 'files (gzip or not), folders; "-" is standard input, live')
    .option("--open", "open the page in the browser")
    .option("--port <n>", "the port on 127.0.0.1 (a free one)", port)
    .addOption(protocolOption())
    .option("--tools <file>", "declared tools (JSON): with them, calls left in the text are found")
    .addHelpText("after", EXAMPLES)
    .action((paths: string[], flags: InspectFlags) => run(() => inspect(paths, flags, io)));
}

const EXAMPLES = `
Examples:
  unbraid inspect recordings/
  unbraid inspect --open recording.sse.gz
  curl -sN "$URL" -d @request.json | unbraid inspect -

The page is served on 127.0.0.1 alone, until Ctrl-C; its address holds a secret.
Exit status: 0 stopped; 2 misuse, or nothing to show; 130 Ctrl-C.`;

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError("It must be a whole number up to 65535.");
  return value;
}

async function inspect(paths: readonly string[], flags: InspectFlags, io: Io): Promise<number> {
  checkInputs(paths);
  const { reading } = await settingsOf(flags);
  const how: Description = {
    ...(reading.protocol === undefined ? {} : { protocol: reading.protocol }),
    ...(reading.tools === undefined ? {} : { tools: reading.tools }),
  };
  // Loaded here: the other commands have no use for a server.
  const { createInspector } = await import("@unbraid/inspector");
  const inspector = createInspector({ port: flags.port ?? 0 });
  try {
    const url = await listen(inspector);
    const live = await fill(inspector, paths, how, reading, io);
    await io.stdout.write(`${url}\n`);
    if (io.stdout.isTerminal) await io.stderr.write("Ctrl-C ends it.\n");
    if (flags.open === true) openBrowser(url);
    for (const each of live) void each();
    await Promise.race([fired(io.interrupt), fired(io.termination())]);
    return io.interrupt.aborted ? EXIT.interrupted : EXIT.ok;
  } finally {
    await inspector.close();
  }
}

async function listen(inspector: Inspector): Promise<string> {
  try {
    return await inspector.listen();
  } catch (error) {
    const trouble = portTrouble(error);
    throw trouble === undefined ? error : new Misuse(trouble, { cause: error });
  }
}

type Description = Pick<ResponseDescription, "protocol" | "tools">;

/** Puts everything into the page. Gives what is to be read as it comes. */
async function fill(
  inspector: Inspector,
  paths: readonly string[],
  how: Description,
  reading: ReadSettings,
  io: Io,
): Promise<readonly (() => Promise<void>)[]> {
  const live: (() => Promise<void>)[] = [];
  let shown = 0;
  for (const path of paths) {
    if (path === STDIN) {
      await sayWaiting(path, io);
      live.push(() => follow("standard input", path, inspector, how, io));
      shown++;
      continue;
    }
    const files = await filesOf(path, io);
    for (const file of files) {
      if (file.regular) inspector.add({ ...how, ...responseOf(file, reading, io) });
      else live.push(() => follow(file.name, file.name, inspector, how, io));
    }
    shown += files.length;
  }
  if (paths.length > 0 && shown === 0) throw new Misuse("there is nothing to show in what was named");
  return live;
}

async function filesOf(path: string, io: Io): Promise<readonly BodyFile[]> {
  try {
    const { files, passedOver, more } = await bodiesOf(path);
    if (passedOver > 0)
      await io.stderr.write(
        `unbraid: ${visible(path)}: ${counted(passedOver, "file")} left out, no bodies by their names\n`,
      );
    if (more) await io.stderr.write(`unbraid: ${visible(path)}: only the first ${files.length} files are shown\n`);
    return files;
  } catch (error) {
    if (!(error instanceof InputFailure)) throw error;
    await sayFailure(path, error, io);
    return [];
  }
}

function responseOf(file: BodyFile, reading: ReadSettings, io: Io): RecordedResponse {
  return {
    name: file.name,
    open: () => bytesOf(file, io),
    ...(file.perhaps ? { isResponse: () => holdsResponse(file.path, reading) } : {}),
  };
}

async function* bytesOf(file: BodyFile, io: Io): AsyncGenerator<Uint8Array | TimedBytes, void, undefined> {
  await checkUnchanged(file);
  const input = openInput(file.path, io);
  const recorded = await recordedTimes(file.path);
  if (recorded === undefined) yield* input;
  else for await (const bytes of recorded.pieces(input)) yield { bytes, time: recorded.clock() };
}

/** Shows what comes as it comes. */
async function follow(name: string, path: string, inspector: Inspector, how: Description, io: Io): Promise<void> {
  const response: LiveResponse = inspector.open({ ...how, name });
  try {
    for await (const chunk of openInput(path, io)) {
      response.push(chunk);
      if (io.interrupt.aborted) break;
    }
    response.end();
  } catch (error) {
    response.end(messageOf(error));
  }
}

async function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
