// `unbraid proxy`: mended streams for clients that cannot be changed. Owns the flags, what is said at the start and the end,
// and the lines of the log; the proxy is @unbraid/server.

import type { ProxyConfig, ProxyOptions, UpstreamOptions } from "@unbraid/server";
import { type Command, Option } from "commander";
import type { ProtocolName } from "unbraid";
import type { RequestWire } from "unbraid/translate";
import { codeOf, EXIT, messageOf, Misuse, portTrouble } from "../failure.ts";
import { inputFailure } from "../input/open.ts";
import type { Io } from "../io.ts";
import { wholeNumber } from "./options.ts";

/** The port where none is given: fixed, for it is written into the settings of clients. */
const PORT = 8787;

interface ProxyFlags {
  readonly upstream?: string;
  readonly config?: string;
  readonly port?: number;
  readonly host?: string;
  readonly adminPort?: number;
  readonly as?: ProtocolName;
  readonly upstreamProtocol?: ProtocolName;
  readonly model?: string;
  readonly rescue?: true;
  readonly hold?: true;
  readonly repair?: true;
  readonly record?: string;
  readonly recordMaxBytes?: number;
  readonly maxExchanges?: number;
  readonly maxRequestBytes?: number;
  readonly connectTimeout?: number;
  readonly firstByteTimeout?: number;
  readonly silenceTimeout?: number;
  readonly grace?: number;
  readonly inspect?: true;
  readonly log: boolean;
}

/** The wires whose requests can be made of one another's; named here, for the translator is loaded only where it is wanted. */
const TRANSLATED: readonly RequestWire[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

/** Declares the command. */
export function declareProxy(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  program
    .command("proxy")
    .helpOption("-h, --help", "this page")
    .summary("mended streams for clients that cannot be changed")
    .description(
      "Stand between a client and a server: what the server streams wrong, the client gets right, as it comes; all " +
        "else passes byte for byte.",
    )
    .option("--upstream <url>", "the server's base URL; requests go nowhere else")
    .option("--config <file>", "several upstreams, and all else (JSON)")
    .option("--port <n>", `where clients connect (${PORT}); 0 is any free one`, port)
    .option("--host <address>", "which address to listen on (127.0.0.1: this machine alone)")
    .option("--admin-port <n>", "/healthz and /metrics on a port of their own", port)
    .addOption(new Option("--as <protocol>", "the wire that clients speak, if it is another").choices(TRANSLATED))
    .addOption(
      new Option("--upstream-protocol <protocol>", "the wire that the server speaks, with --as").choices(TRANSLATED),
    )
    .option("--model <name>", "the model to ask, whatever clients name; with --as")
    .option("--rescue", "recover calls that the server left in the text")
    .option("--hold", "send a call only when it is whole and valid")
    .option("--repair", "correct a malformed call that has one reading; holds")
    .option("--record <dir>", "keep what goes by, without secrets")
    .option("--record-max-bytes <n>", "room for recordings (1 GiB)", wholeNumber)
    .option("--inspect", "show the answers live in a local page, as they came from the server")
    .option("--max-exchanges <n>", "answers at once; more get 503 (4096)", wholeNumber)
    .option("--max-request-bytes <n>", "longest request (64 MiB)", wholeNumber)
    .option("--connect-timeout <ms>", "for connecting (10000)", wholeNumber)
    .option("--first-byte-timeout <ms>", "for the answer to begin (600000)", wholeNumber)
    .option("--silence-timeout <ms>", "between two pieces of it (300000)", wholeNumber)
    .option("--grace <ms>", "for streams to end on SIGTERM or Ctrl-C (30000)", wholeNumber)
    .option("--no-log", "no line a response on standard output")
    .addHelpText("after", EXAMPLES)
    .action((flags: ProxyFlags) => run(() => proxy(flags, io)));
}

const EXAMPLES = `
Examples:
  unbraid proxy --upstream http://localhost:8000/v1
  unbraid proxy --upstream http://localhost:8000/v1 --rescue --record recordings
  unbraid proxy --config proxy.json

Exit status: 0 stopped; 2 misuse; 130 Ctrl-C.`;

/** A port, as it is written in digits. */
function port(text: string): number {
  if (text === "0") return 0;
  const value = wholeNumber(text);
  if (value > 65_535) throw new Misuse(`a port is at most 65535, not ${text}`);
  return value;
}

async function proxy(flags: ProxyFlags, io: Io): Promise<number> {
  const options = await optionsOf(flags, io);
  if (flags.inspect !== true) return running(options, io);
  const { createInspector } = await import("@unbraid/inspector");
  const { liveObserver } = await import("../inspect/live-observer.ts");
  const inspector = createInspector();
  try {
    const page = await inspector.listen();
    return await running({ ...options, observers: [liveObserver(inspector)] }, io, page);
  } finally {
    await inspector.close();
  }
}

/** Runs the proxy until it is told to stop. */
async function running(options: ProxyOptions, io: Io, page?: string): Promise<number> {
  // Loaded only where it is wanted: the other commands start without it.
  const { startProxy } = await import("@unbraid/server");
  const started = await startProxy(options).catch((error: unknown) => {
    throw new Misuse(`the proxy cannot start: ${portTrouble(error) ?? messageOf(error)}`, { cause: error });
  });
  await io.stderr.write(greeting(started.url, started.adminUrl, options));
  if (page !== undefined) await io.stderr.write(`unbraid proxy: inspector ${page}\n`);
  const termination = io.termination();
  await Promise.race([fired(io.interrupt), fired(termination)]);
  if (started.open > 0) await io.stderr.write(`unbraid proxy: stopping; ${started.open} still open\n`);
  await started.stop();
  return io.interrupt.aborted ? EXIT.interrupted : EXIT.ok;
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
}

async function optionsOf(flags: ProxyFlags, io: Io): Promise<ProxyOptions> {
  if ((flags.upstream === undefined) === (flags.config === undefined))
    throw new Misuse("name one server with --upstream URL, or several in a file with --config FILE");
  for (const name of ["model", "upstreamProtocol"] as const)
    if (flags[name] !== undefined && flags.as === undefined && flags.config === undefined)
      throw new Misuse(
        `${name === "model" ? "--model" : "--upstream-protocol"} needs --as PROTOCOL: requests pass as they are without it`,
      );
  const config = flags.config === undefined ? undefined : await configOf(flags.config);
  const changes = upstreamChanges(flags);
  const upstreams: readonly UpstreamOptions[] = config?.upstreams.map((each) => ({ ...each, ...changes })) ?? [
    { url: flags.upstream ?? "", ...changes },
  ];
  return {
    ...config,
    upstreams,
    port: flags.port ?? config?.port ?? PORT,
    ...given({ host: flags.host, adminPort: flags.adminPort }),
    limits: {
      ...config?.limits,
      ...given({ maxExchanges: flags.maxExchanges, maxRequestBytes: flags.maxRequestBytes }),
    },
    timeouts: {
      ...config?.timeouts,
      ...given({
        connect: flags.connectTimeout,
        firstByte: flags.firstByteTimeout,
        silence: flags.silenceTimeout,
        grace: flags.grace,
      }),
    },
    ...(flags.record === undefined
      ? {}
      : { record: { ...config?.record, folder: flags.record, ...given({ maxBytes: flags.recordMaxBytes }) } }),
    ...(flags.log ? { log: (line: string): void => void io.stdout.write(`${line}\n`).catch(() => {}) } : {}),
  };
}

async function configOf(path: string): Promise<ProxyConfig> {
  const { readConfig } = await import("@unbraid/server");
  return readConfig(path).catch((error: unknown) => {
    // A file that cannot be opened: in the words of the other commands, not the system's.
    const { cause } = error as { readonly cause?: unknown };
    const words =
      codeOf(cause) === undefined ? messageOf(error) : `cannot read ${path}: ${inputFailure(cause).message}`;
    throw new Misuse(words, { cause: error });
  });
}

function upstreamChanges(flags: ProxyFlags): Partial<UpstreamOptions> {
  const { as, upstreamProtocol: protocol, model, rescue, hold, repair } = flags;
  return given({ as, protocol, model, rescue, hold, repair });
}

/** The fields that were given. */
function given<T extends object>(all: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function greeting(url: string, adminUrl: string | undefined, { upstreams, record }: ProxyOptions): string {
  const lines = upstreams.map((each) => {
    const prefix = (each.prefix ?? "").replace(/\/$/, "");
    const host = each.host === undefined ? "" : ` (Host: ${each.host})`;
    return `unbraid proxy: give clients the base URL ${url}${prefix}${versionOf(each.url)} -> ${each.url}${host}\n`;
  });
  const own = adminUrl ?? `${url}/-`;
  const recording = record === undefined ? "" : `unbraid proxy: recording to ${record.folder}\n`;
  return `${lines.join("")}${recording}unbraid proxy: health ${own}/healthz, metrics ${own}/metrics\n`;
}

/** The version in a base URL, which clients of OpenAI's API have in theirs too. */
function versionOf(url: string): string {
  return /\/v\d+(?:beta|alpha)?\d*(?=\/*$)/.exec(url)?.[0] ?? "";
}
