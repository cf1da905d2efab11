// An outside world for tests: bytes in, text out, and the hands on the switches.

import { stripVTControlCharacters } from "node:util";
import { eastAsianWidth } from "get-east-asian-width";
import { OutputClosed } from "./failure.ts";
import type { Io } from "./io.ts";
import { main } from "./main.ts";

/** What a test may set. */
export interface FakeOptions {
  readonly stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  readonly env?: Readonly<Record<string, string>>;
  /** Columns of standard output, which is a terminal then. */
  readonly terminal?: number;
  /** Writes on standard output that succeed before its reader goes away. */
  readonly writes?: number;
}

/** An outside world and what was written to it. */
export interface Fake {
  readonly io: Io;
  readonly out: () => string;
  readonly err: () => string;
  readonly interrupt: () => void;
  readonly terminate: () => void;
}

/** Makes an outside world. */
export function fakeIo({ stdin = [], env = {}, terminal, writes = Infinity }: FakeOptions = {}): Fake {
  let out = "";
  let err = "";
  let left = writes;
  const controller = new AbortController();
  const termination = new AbortController();
  const io: Io = {
    async *stdin() {
      for await (const chunk of stdin) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    },
    stdinIsTerminal: false,
    stdout: {
      isTerminal: terminal !== undefined,
      columns: terminal,
      write: async (text) => {
        if (left-- <= 0) throw new OutputClosed("closed");
        out += text;
      },
    },
    stderr: {
      isTerminal: false,
      columns: undefined,
      write: async (text) => {
        err += text;
      },
    },
    env,
    interrupt: controller.signal,
    termination: () => termination.signal,
    self: "unbraid",
  };
  return {
    io,
    out: () => out,
    err: () => err,
    interrupt: () => controller.abort(),
    terminate: () => termination.abort(),
  };
}

/** What a run of the command came to. */
export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command to its end. */
export async function run(argv: readonly string[], options: FakeOptions = {}): Promise<Ran> {
  const fake = fakeIo(options);
  const status = await main(argv, fake.io);
  return { status, out: fake.out(), err: fake.err() };
}

/** A promise and the hand that opens it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Chat frames with these deltas, and the end of the stream. */
export function chatBody(deltas: readonly object[], finish: string | null = "tool_calls"): string {
  const chunks = deltas.map((delta) => ({
    id: "chatcmpl-1",
    model: "m",
    choices: [{ index: 0, delta, finish_reason: null }],
  }));
  const last = { id: "chatcmpl-1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: finish }] };
  const frames = finish === null ? chunks : [...chunks, last];
  return (
    frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("") + (finish === null ? "" : "data: [DONE]\n\n")
  );
}

/** A delta with one entry of a tool call. */
export function callDelta(index: number, args: string, id?: string, name?: string): object {
  return {
    tool_calls: [
      {
        index,
        ...(id === undefined ? {} : { id, type: "function" }),
        function: { ...(name === undefined ? {} : { name }), arguments: args },
      },
    ],
  };
}

/** Columns of a line as a plain terminal would draw it, reckoned without the code under test. */
export function columnsOfLine(line: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(line))
    width += /^[\p{Mn}\p{Me}\u1160-\u11ff]$/u.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}

/** What must never reach a terminal, in a text without our own colours; undefined where there is nothing of the kind. */
export function hostileCharacter(text: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  const plain = text.replace(/\u001b\[\d+m/g, "");
  const found = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u.exec(plain);
  return found === null ? undefined : `U+${found[0].codePointAt(0)?.toString(16)} at ${found.index}`;
}
