// The outside world as a Node process has it. Owns the process's streams, its signals, and what a closed pipe means.

import { basename, relative } from "node:path";
import { isatty } from "node:tty";
import { codeOf, OutputClosed } from "./failure.ts";
import type { Io, Output } from "./io.ts";

/** The process's ends, and how to let go of them. */
export interface NodeIo extends Io {
  /** Lets go of standard input, so that the process can end while the other side still holds the pipe open. */
  release(): void;
}

/** The streams of this process. */
export function nodeIo(): NodeIo {
  const interrupt = new AbortController();
  // The first Ctrl-C asks for what was read so far; a second one ends the process as usual.
  process.once("SIGINT", () => interrupt.abort());
  let stdin: NodeJS.ReadStream | undefined;
  return {
    stdin: () => (stdin = process.stdin),
    stdinIsTerminal: isatty(0),
    stdout: outputOf(process.stdout, isatty(1)),
    stderr: outputOf(process.stderr, isatty(2)),
    env: process.env,
    interrupt: interrupt.signal,
    termination: () => {
      const controller = new AbortController();
      process.once("SIGTERM", () => controller.abort());
      return controller.signal;
    },
    self: selfOf(process.argv[1]),
    release: () => stdin?.destroy(),
  };
}

function outputOf(stream: NodeJS.WriteStream, terminal: boolean): Output {
  // Each failed write tells of it by itself; without a listener the event would end the process with a stack trace.
  stream.on("error", () => {});
  return {
    isTerminal: terminal,
    get columns() {
      return terminal ? stream.columns : undefined;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(isClosed(error) ? new OutputClosed("the output was closed", { cause: error }) : error);
        });
      }),
  };
}

function isClosed(error: Error): boolean {
  return ["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"].includes(codeOf(error) ?? "");
}

/** The name by which a package manager installs the command, or the way to the file where it is run from a checkout. */
function selfOf(script: string | undefined): string {
  if (script === undefined || basename(script) !== "bin.js") return "unbraid";
  return `node ${relative(process.cwd(), script)}`;
}
