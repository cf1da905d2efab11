// The built command as a process: pipes that close, Ctrl-C, and what only a process has.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { callDelta, chatBody } from "./io.test-kit.ts";

const BIN = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

const head = chatBody([callDelta(0, '{"city":"Os', "a", "weather")], null);
const tail = chatBody([callDelta(0, 'lo"}')]);

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

interface Child {
  readonly write: (text: string) => void;
  readonly end: () => void;
  readonly kill: () => void;
  /** Waits until it has written this. */
  readonly written: (text: string) => Promise<void>;
  readonly closeOutput: () => void;
  readonly done: Promise<Ended>;
}

function start(...args: readonly string[]): Child {
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: "pipe",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const closed = new Promise<Ended>((resolve) => child.on("close", (status) => resolve({ status, out, err })));
  // The other side may be gone before everything has been written to it.
  child.stdin.on("error", () => {});
  return {
    write: (text) => child.stdin.write(text),
    end: () => child.stdin.end(),
    kill: () => child.kill("SIGINT"),
    written: async (text) => {
      while (!out.includes(text)) {
        const ended = await Promise.race([once(child.stdout, "data"), closed]);
        if (!Array.isArray(ended)) throw new Error(`it ended before it wrote ${text}: ${ended.err}`);
      }
    },
    closeOutput: () => child.stdout.destroy(),
    done: closed,
  };
}

// `npm test` builds before it tests; a test run by itself may find nothing built.
describe.runIf(existsSync(BIN))("the built command", () => {
  it("shows a fragment while the pipe is still open", async () => {
    const child = start("trace", "-");
    child.write(head);
    await child.written('{"city":"Os');
    child.write(tail);
    child.end();
    const { status, out, err } = await child.done;
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toContain("may run  #1");
  });

  it("ends with the response, though the pipe stays open", async () => {
    const child = start("calls", "--json", "-");
    child.write(head + tail);
    const { status, out } = await child.done;
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ runnable: ["a"] });
  });

  it("prints what it read on Ctrl-C", async () => {
    const child = start("trace", "-");
    child.write(head);
    await child.written('{"city":"Os');
    child.kill();
    const { status, out, err } = await child.done;
    expect({ status, err }).toEqual({ status: 130, err: "" });
    expect(out).toContain("finish  cancelled");
  });

  it("ends quietly when its output is closed", async () => {
    const child = start("trace", "-");
    child.write(head);
    await child.written('{"city":"Os');
    child.closeOutput();
    child.write(tail);
    child.end();
    const { status, err } = await child.done;
    expect({ status, err }).toEqual({ status: 0, err: "" });
  });

  it("says what it does not understand", async () => {
    const { status, out, err } = await start("trace", "--frob").done;
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toBe("unbraid: unknown option '--frob' (see unbraid trace --help)\n");
  });
});
