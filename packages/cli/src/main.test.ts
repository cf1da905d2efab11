import { describe, expect, it } from "vitest";
import { run } from "./io.test-kit.ts";

describe("the command line", () => {
  it.each([
    ["an unknown command", ["frob"], "unknown command 'frob' (see unbraid --help)"],
    [
      "a command that is nearly known",
      ["trac", "x"],
      "unknown command 'trac'; did you mean trace? (see unbraid --help)",
    ],
    [
      "an unknown flag",
      ["calls", "--jsn", "x"],
      "unknown option '--jsn'; did you mean --json? (see unbraid calls --help)",
    ],
    [
      "help for an unknown command",
      ["help", "trac"],
      "unknown command 'trac'; did you mean trace? (see unbraid --help)",
    ],
    ["no files", ["calls", "--json"], "missing required argument 'file' (see unbraid calls --help)"],
    ["no file", ["trace"], "missing required argument 'file' (see unbraid trace --help)"],
    ["two files to trace", ["trace", "a", "b"], "too many arguments"],
    [
      "a bad number",
      ["calls", "--chunk-size", "0", "x"],
      "argument '0' is invalid. It must be a whole number above 0.",
    ],
    ["a number in words", ["calls", "--max-frame-bytes", "1e3", "x"], "must be a whole number above 0"],
    ["a number that is too large", ["trace", "--max-argument-bytes", "99999999999999999", "x"], "whole number above 0"],
    ["a flag without its value", ["calls", "--tools"], "argument missing"],
    ["an unknown wire", ["calls", "--protocol", "smoke", "x"], "Allowed choices are openai-chat, openai-responses"],
    [
      "a tools file that is not there",
      ["calls", "--tools", "/no/such", "x"],
      "cannot read the tools file /no/such: there is no such file",
    ],
    ["a tools file that is not JSON", ["calls", "--tools", import.meta.filename, "x"], "is not JSON"],
    ["standard input twice", ["calls", "-", "-"], 'give "-" once'],
  ])("refuses %s with one line that says what to do", async (_, argv, words) => {
    const { status, out, err } = await run(argv);
    expect(status).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(words);
    expect(err).toMatch(/^unbraid: [^\n]+\n$/);
  });

  it("shows the help, and that it was asked for nothing", async () => {
    const { status, out, err } = await run([]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("Usage: unbraid <command>");
  });

  it.each([["--help"], ["-h"], ["help"]])("shows its help on one screen (%s)", async (flag) => {
    const { status, out } = await run([flag]);
    expect(status).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    for (const word of ["trace", "calls", "turn", "demo", "Examples:", "Exit status"]) expect(out).toContain(word);
  });

  it.each(["trace", "inspect", "calls", "turn", "demo"])("shows the help of %s, with examples", async (command) => {
    const { status, out } = await run([command, "--help"]);
    expect(status).toBe(0);
    expect(out).toContain(`Usage: unbraid ${command}`);
    expect(out).toContain("Examples:");
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect((await run(["help", command])).out).toBe(out);
  });

  it("says its version", async () => {
    expect(await run(["--version"])).toMatchObject({ status: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it("does not let an argument write on the terminal", async () => {
    const { err } = await run(["calls", "--tools", "/no/\u001b[2Jsuch\n", "x"]);
    expect(err).toContain("␛[2Jsuch␊");
    expect(err).not.toContain("\u001b");
  });

  it("shows a stack trace only to those who ask for it", async () => {
    const broken = {
      // A fault of ours: something throws that nobody expects.
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new TypeError("boom")) }),
    };
    const plain = await run(["trace", "-"], { stdin: broken });
    expect(plain.err).toBe("unbraid: cannot read -: boom\n");
    const asked = await run(["calls", "--tools", "/no/such", "x"], { env: { UNBRAID_DEBUG: "1" } });
    expect(asked.err).toMatch(/Misuse: cannot read[^]*at [^]*\nunbraid: cannot read the tools file/);
  });
});
