import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { callDelta, chatBody, fakeIo, gate, run } from "../io.test-kit.ts";
import { main } from "../main.ts";

const sound = chatBody([
  { content: "Let me" },
  { content: " see." },
  callDelta(0, "", "a", "weather"),
  callDelta(1, "", "b", "time"),
  callDelta(0, '{"city"'),
  callDelta(1, '{"zone":"UTC'),
  callDelta(0, ':"Oslo"}'),
  callDelta(1, '"}'),
]);

describe("unbraid trace", () => {
  it("shows a sound stream", async () => {
    const { status, out, err } = await run(["trace", "-"], { stdin: [sound] });
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toMatchInlineSnapshot(`
      "frame    byte  call so far    fragment
          0       0       response  m  chatcmpl-1
          0       0       text      Let me¦ see.
          3     418  1    starts    weather  a
          4     608  │ 2  starts    time  b
          4     608  1 │  fails     {"city"
          5     766  │ 2  fails     {"zone":"UTC
          6     930  1 │  parses    :"Oslo"}
          7    1089  │ 2  parses    "}
          9    1344  └ │  complete
          9    1344    └  complete
          9    1344       finish    tool_calls

        #  name     id  status    frags  bytes
        1  weather  a   complete      2     15
           {"city":"Oslo"}
        2  time     b   complete      2     14
           {"zone":"UTC"}

      openai-chat · 2 calls, 4 fragments
      finish  tool_calls
      may run  #1 #2

      naive reader  the same  by index, text added up, then JSON.parse
      "
    `);
  });

  it("shows what goes wrong", async () => {
    const body = chatBody([
      callDelta(0, '{"path": "a.md", ', "a", "write_file"),
      callDelta(0, '"append": True, "text"'),
      callDelta(0, ': "x"}'),
      callDelta(1, "", "b", "delete_file"),
      callDelta(1, '{"path": "b'),
    ]);
    const { status, out } = await run(["trace", "-"], { stdin: [body] });
    expect(status).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "frame    byte  call so far    fragment
          0       0       response  m  chatcmpl-1
          0       0  1    starts    write_file  a
          0       0  1    fails     {"path": "a.md",␣
          1     217  1    broken    "append": True, "text"
                     │                        ^
                     │              offset 27: expected a value, found 'T' (the
                     │              literals are true, false and null)
          2     392  1    broken    : "x"}
          4     746  │ 2  starts    delete_file  b
          4     746  │ 2  fails     {"path": "b
          6    1012  │ │  notice    malformed-arguments #1
                     │ │            The arguments are malformed: expected a value,
                     │ │            found 'T' (the literals are true, false and null)
          6    1012  └ │  malformed invalid-json
          6    1012    └  truncated unexpected-end
          6    1012       finish    tool_calls

        #  name         id  status    frags  bytes
        1  write_file   a   malformed     3     45
           {"path": "a.md", "append": True, "text": "x"}
                                      ^
           invalid-json  expected a value, found 'T' (the literals are true, false and
             null) (column 28)
           repair offered  {"path": "a.md", "append": true, "text": "x"}
             python-literal
        2  delete_file  b   truncated     1     11
           {"path": "b
                      ^
           unexpected-end  expected the closing quote of a string, found the end of
             the text; open levels: 1 (column 12)

      openai-chat · 2 calls, 4 fragments · 1 notice
      finish  tool_calls
      nothing may run  no call is whole and valid

      naive reader  by index, text added up, then JSON.parse
        !  #1  write_file  throws Unexpected token 'T', ...""append": True, "tex"...
                 is not valid JSON
               {"path": "a.md", "append": True, "text": "x"}
        !  #2  delete_file  throws Unterminated string in JSON at position 11
               {"path": "b
        It gets 0 of 2 calls right.
      "
    `);
  });

  it("writes no escape sequence into a pipe, and does where it is asked to", async () => {
    expect((await run(["trace", "-"], { stdin: [sound] })).out).not.toContain("\u001b");
    expect((await run(["trace", "-"], { stdin: [sound], terminal: 80 })).out).toContain("\u001b[");
    expect((await run(["trace", "--no-color", "-"], { stdin: [sound], terminal: 80 })).out).not.toContain("\u001b");
    expect((await run(["trace", "-"], { stdin: [sound], terminal: 80, env: { NO_COLOR: "1" } })).out).not.toContain(
      "\u001b",
    );
    expect((await run(["trace", "-"], { stdin: [sound], env: { FORCE_COLOR: "1" } })).out).toContain("\u001b[");
  });

  it("leaves text out where only calls are wanted, and says how much there was", async () => {
    const { out } = await run(["trace", "--calls-only", "-"], { stdin: [sound] });
    expect(out).not.toContain("Let me");
    expect(out).toContain("text      2 fragments, 11 characters");
  });

  it("reads gzip", async () => {
    const plain = await run(["trace", "-"], { stdin: [sound] });
    expect(await run(["trace", "-"], { stdin: [gzipSync(sound)] })).toEqual(plain);
  });

  it("does not depend on how the bytes come", async () => {
    const whole = await run(["trace", "-"], { stdin: [sound] });
    for (const size of ["1", "7"])
      expect((await run(["trace", "--chunk-size", size, "-"], { stdin: [sound] })).out).toBe(whole.out);
  });

  it("writes a line as soon as its fragment is there", async () => {
    const frames = sound.split(/(?<=\n\n)/);
    const { opened, open } = gate();
    async function* live(): AsyncGenerator<string> {
      yield frames.slice(0, 5).join("");
      await opened;
      yield frames.slice(5).join("");
    }
    const fake = fakeIo({ stdin: live() });
    const done = main(["trace", "-"], fake.io);
    while (!fake.out().includes('{"city"')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(fake.out()).not.toContain("Oslo");
    open();
    expect(await done).toBe(0);
    expect(fake.out()).toContain("Oslo");
  });

  it("prints what was read when it is interrupted", async () => {
    async function* hanging(): AsyncGenerator<string> {
      yield sound.slice(0, sound.indexOf("data: [DONE]"));
      await new Promise(() => {});
    }
    const fake = fakeIo({ stdin: hanging() });
    const done = main(["trace", "-"], fake.io);
    setTimeout(fake.interrupt, 20);
    expect(await done).toBe(130);
    expect(fake.out()).toContain("finish  cancelled");
    expect(fake.out()).toContain('{"city":"Oslo"}');
  });

  it("ends quietly when nobody reads on", async () => {
    for (const writes of [0, 1]) {
      const { status, err } = await run(["trace", "-"], { stdin: [sound], writes });
      expect({ status, err }).toEqual({ status: 0, err: "" });
    }
  });

  it("says in one line that there is nothing to read", async () => {
    const { status, out, err } = await run(["trace", "/no/such/file"]);
    expect({ status, out, err }).toEqual({
      status: 1,
      out: "",
      err: "unbraid: cannot read /no/such/file: there is no such file\n",
    });
  });

  it("exits with 1 where the stream was broken", async () => {
    expect((await run(["trace", "-"], { stdin: [chatBody([{ content: "x" }], null)] })).status).toBe(1);
    expect((await run(["trace", "-"], { stdin: [] })).status).toBe(1);
    expect((await run(["trace", "-"], { stdin: ["<html>502 Bad Gateway</html>"] })).status).toBe(1);
  });

  it("lets the last fragment's line end before it goes on", async () => {
    const { out } = await run(["trace", "-"], { stdin: [chatBody([{ content: "a" }, { content: "b" }], null)] });
    expect(out).toMatch(/a¦b\n +\d/);
  });
});

describe("unbraid trace --json", () => {
  it("prints the events, one a line", async () => {
    const { status, out } = await run(["trace", "--json", "-"], { stdin: [sound] });
    expect(status).toBe(0);
    const events: { type: string; at: { frame: number } }[] = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ type: "response", id: "chatcmpl-1", at: { frame: 0, start: 0 } });
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool_calls", raw: "tool_calls" });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(["response", "text", "call.start", "call.append", "call.close", "finish"]),
    );
  });

  it("says what was wrong with the input in an event", async () => {
    const { status, out, err } = await run(["trace", "--json", "/no/such/file"]);
    expect(status).toBe(1);
    expect(err).toContain("there is no such file");
    expect(JSON.parse(out.split("\n")[0] ?? "")).toMatchObject({ type: "error", error: { code: "source" } });
  });
});
