// `unbraid demo`: a few streams that go wrong, traced as they come. Owns the pace and the words between; the scenes are in
// demo/scenes.ts.

import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { scenes, type Scene } from "../demo/scenes.ts";
import { EXIT } from "../failure.ts";
import { readChunks } from "../input/drive.ts";
import type { Io } from "../io.ts";
import { wrap } from "../terminal/fit.ts";
import type { Page } from "../terminal/page.ts";
import { TraceSession } from "../trace/session.ts";
import { addColourFlags, pageOf, type SharedFlags } from "./options.ts";

/** Milliseconds that all fragments of the demo take together: long enough to be followed, short enough to be watched. */
const LENGTH = 8000;

interface DemoFlags extends Pick<SharedFlags, "color"> {
  readonly fast?: true;
}

/** Declares the command. */
export function declareDemo(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  const command = program
    .command("demo")
    .helpOption("-h, --help", "this page")
    .summary("watch streams that go wrong; no network, no keys")
    .description("Trace a few streams of our own that go wrong in the ways that streams do.")
    .option("--fast", "without the pauses between fragments");
  addColourFlags(command)
    .addHelpText("after", "\nExamples:\n  unbraid demo\n  unbraid demo --fast | less")
    .action((flags: DemoFlags) => run(() => demo(flags, io)));
}

async function demo(flags: DemoFlags, io: Io): Promise<number> {
  const page = pageOf(io, flags);
  const bodies = await Promise.all(scenes.map(async (scene) => ({ scene, frames: await framesOf(scene) })));
  const count = bodies.reduce((sum, { frames }) => sum + frames.length, 0);
  const pause = flags.fast === true || !io.stdout.isTerminal ? 0 : LENGTH / count;
  for (const [at, { scene, frames }] of bodies.entries()) {
    await io.stdout.write(introduction(scene, at + 1, page));
    const session = new TraceSession(io.stdout, page, { callsOnly: false });
    const settings = { protocol: undefined, tools: undefined, limits: {}, chunkSize: undefined };
    const outcome = await readChunks(paced(frames, pause, io.interrupt), io.interrupt, settings, session);
    if (outcome.interrupted) {
      await io.stdout.write("\n");
      return EXIT.interrupted;
    }
    await session.end(scene.file, outcome, undefined);
    await io.stdout.write("\n");
  }
  await io.stdout.write(next(io, page));
  return EXIT.ok;
}

/** The SSE events of a scene, each with its blank line. */
async function framesOf(scene: Scene): Promise<readonly string[]> {
  const text = await readFile(scene.path, "utf8");
  return text.split(/(?<=\n\n)/);
}

async function* paced(
  frames: readonly string[],
  pause: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  for (const frame of frames) {
    // Ctrl-C ends the pause; that it did, the reader of these frames sees by itself.
    if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => {});
    yield encoder.encode(frame);
  }
}

function introduction({ title, watch }: Scene, number: number, page: Page): string {
  const { style } = page;
  const rule = "─".repeat(Math.max(0, page.columns() - title.length - 7));
  const words = wrap(watch, page.columns()).join("\n");
  return `${style.dim("──")} ${style.bold(`${number} ${title}`)} ${style.dim(rule)}\n${words}\n\n`;
}

function next({ self }: Io, page: Page): string {
  const { bold, dim } = page.style;
  const [first] = scenes;
  const commands = [
    [
      `${self} trace ${first === undefined ? "FILE" : first.file}`,
      "one of these streams again, or a recording of yours",
    ],
    [`curl -sN "$URL" -d @request.json | ${self} trace -`, "a live one"],
    [`${self} calls --json FILE... | jq .runnable`, "what may run, for a script"],
    [`${self} --help`, "the rest"],
  ];
  return `${bold("What next")}\n${commands.map(([command = "", what = ""]) => `  ${command}\n      ${dim(what)}\n`).join("")}`;
}
