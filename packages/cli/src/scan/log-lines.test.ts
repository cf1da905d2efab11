import { describe, expect, it } from "vitest";
import { isLog, linesOf, loggedBody } from "./log-lines.ts";

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function lines(text: string, size: number): Promise<(string | undefined)[]> {
  const all: (string | undefined)[] = [];
  for await (const line of linesOf(chunks(text, size))) all.push(line);
  return all;
}

const SSE = 'data: {"choices":[]}\n\ndata: [DONE]\n\n';

describe("linesOf", () => {
  it.each([1, 2, 3, 7, 1000])("gives the same lines however they come (%i bytes)", async (size) => {
    expect(await lines("a\n\nbé\r\nc", size)).toEqual(["a", "", "bé\r", "c"]);
    expect(await lines("a\n", size)).toEqual(["a"]);
    expect(await lines("", size)).toEqual([]);
  });
});

describe("loggedBody", () => {
  it.each([
    [{ response: { body: SSE } }, SSE],
    [{ response_body: SSE }, SSE],
    [{ body: ["data: {}\n", "\n"] }, "data: {}\n\n"],
    [{ output: '{"candidates":[]}' }, '{"candidates":[]}'],
  ])("finds the body in %j", (value, body) => {
    expect(loggedBody(JSON.stringify(value), 3, {})).toEqual({ line: 3, body, model: null, server: null });
  });

  it("takes what stands in a field that was named, whatever it is", () => {
    const line = JSON.stringify({ a: { b: { choices: [] } }, c: [{ x: 1 }], d: "text" });
    expect(loggedBody(line, 1, { body: "a.b" })).toMatchObject({ body: '{"choices":[]}' });
    expect(loggedBody(line, 1, { body: "c" })).toMatchObject({ body: [{ x: 1 }] });
    expect(loggedBody(line, 1, { body: "d" })).toMatchObject({ body: "text" });
    expect(loggedBody(line, 1, { body: "a.c" })).toEqual({
      line: 1,
      problem: 'the line has no field "a.c" with a body',
    });
    expect(loggedBody('{"a":1}', 1, { body: "constructor.name" })).toHaveProperty("problem");
  });

  it("finds model and server, and of an address keeps the host alone", () => {
    const line = { body: SSE, request: { model: "m-1", url: "https://u:p@host.example:8443/v1?key=secret" } };
    expect(loggedBody(JSON.stringify(line), 1, {})).toMatchObject({ model: "m-1", server: "host.example:8443" });
    const own = { body: SSE, who: { m: "x", s: "rack-1" } };
    expect(loggedBody(JSON.stringify(own), 1, { model: "who.m", server: "who.s" })).toMatchObject({
      model: "x",
      server: "rack-1",
    });
  });

  it("says what is wrong with a line", () => {
    expect(loggedBody("{", 7, {})).toEqual({ line: 7, problem: "the line is not JSON" });
    expect(loggedBody(undefined, 7, {})).toEqual({ line: 7, problem: "the line is too long" });
    expect(loggedBody('{"x":1}', 7, {})).toEqual({
      line: 7,
      problem: "the line has none of the usual fields with a body",
    });
    expect(loggedBody("  \r", 7, {})).toBeUndefined();
  });
});

describe("isLog", () => {
  const isLogOf = (...values: readonly unknown[]): Promise<boolean> =>
    isLog(linesOf(chunks(values.map((value) => `${JSON.stringify(value)}\n`).join(""), 1000)));

  it("tells a log from the lines of a wire", async () => {
    expect(await isLogOf({ body: SSE })).toBe(true);
    for (const frame of [
      { model: "m", response: "{", done: false },
      { model: "m", response: "data: x", done: false },
      { model: "m", message: { role: "assistant", content: "" }, done: false },
      { type: "response.created", response: { output: [] } },
    ])
      expect(await isLogOf(frame), JSON.stringify(frame)).toBe(false);
    expect(await isLog(linesOf(chunks("data: {}", 10)))).toBe(false);
  });

  it("looks behind lines of other kinds, for whole streams alone", async () => {
    expect(await isLogOf({ level: "info" }, null, [1], { response: { body: SSE } })).toBe(true);
    expect(await isLogOf({ model: "m", response: "a" }, { model: "m", response: "{}" })).toBe(false);
    expect(await isLogOf(...Array.from({ length: 64 }, () => ({ level: "info" })), { body: SSE })).toBe(false);
  });
});
