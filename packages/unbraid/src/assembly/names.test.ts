// Names in pieces, restated, grown, with leaked tokens, with the prefixes of Kimi's ids.

import { describe, expect, test } from "vitest";
import { assemble, delta, toolCalls } from "./assembling.test-kit.ts";
import { isSettledName, joinName, readName } from "./names.ts";

const tools = new Set(["get_weather", "get", "read_file"]);

describe("two mentions of one name", () => {
  test.each([
    ["get_wea", "ther", undefined, "get_weather", "name-fragmented"],
    ["get_weather", "get_weather", undefined, "get_weather", "name-restated"],
    ["get_wea", "get_weather", undefined, "get_weather", "name-fragmented"],
    ["get", "_weather", tools, "get_weather", "name-fragmented"],
    ["get_wea", "get_weather", tools, "get_weather", "name-fragmented"],
    ["search", "read_file", tools, "read_file", "name-conflict"],
    ["a", "aa", new Set(["aaa"]), "aaa", "name-fragmented"],
  ])("%s and %s", (held, piece, declared, name, code) => {
    expect(joinName(held, piece, declared)).toEqual({ name, code });
  });
});

describe("the name to give out", () => {
  test.each([
    ["get_weather", undefined, "get_weather", undefined],
    ["search<|channel|>commentary", undefined, "search", "control-token-in-name"],
    ["search<｜tool▁sep｜>", undefined, "search", "control-token-in-name"],
    [" get_weather\n", undefined, "get_weather", "control-token-in-name"],
    ["functions.get_weather:0", tools, "get_weather", "name-normalised"],
    ["functions_get_weather_12", tools, "get_weather", "name-normalised"],
    ["default_api.get_weather", tools, "get_weather", "name-normalised"],
    ["get_weather:3", tools, "get_weather", "name-normalised"],
    ["functions.get_weather<|x|>", tools, "get_weather", "name-normalised"],
    ["functions.get_weather:0", undefined, "functions.get_weather:0", undefined],
    ["functions.other:0", tools, "functions.other:0", undefined],
    ["functions.get_weather", new Set(["functions.get_weather", "get_weather"]), "functions.get_weather", undefined],
    ["web_search:2", new Set(["web_search:2"]), "web_search:2", undefined],
    ["weather<b>", undefined, "weather<b>", undefined],
  ])("%j", (raw, declared, name, code) => {
    expect(readName(raw, declared)).toEqual(code === undefined ? { name } : { name, code });
  });
});

test("a name is settled when it is declared and no longer one begins with it", () => {
  expect(isSettledName("get_weather", tools)).toBe(true);
  expect(isSettledName("get", tools)).toBe(false);
  expect(isSettledName("unknown", tools)).toBe(false);
  expect(isSettledName("get_weather", undefined)).toBe(false);
});

describe("the start waits for the name", () => {
  const starts = (told: Parameters<typeof assemble>[0], names?: readonly string[]): unknown[] =>
    assemble(told, names === undefined ? {} : { tools: names.map((name) => ({ name })) }).events.flatMap((event) =>
      event.type === "call.start" ? [[event.call.name, event.at.frame]] : [],
    );

  test("until argument text begins", () => {
    expect(
      starts([delta(0, "a", "get_"), delta(0, undefined, "weather"), delta(0, undefined, undefined, "{}"), toolCalls]),
    ).toEqual([["get_weather", 2]]);
  });

  test("not at all, when it is a declared one", () => {
    expect(
      starts([delta(0, "a", "get_weather"), delta(0, undefined, undefined, "{}"), toolCalls], ["get_weather"]),
    ).toEqual([["get_weather", 0]]);
  });

  test("but no longer than until something else is said", () => {
    expect(
      starts([delta(0, "a", "f"), (sink): void => sink.text("x"), delta(0, undefined, undefined, "{}"), toolCalls]),
    ).toEqual([["f", 1]]);
    expect(starts([delta(0, "a", "f"), delta(1, "b", "g"), toolCalls])).toEqual([
      ["f", 1],
      ["g", 2],
    ]);
  });

  test("and what came before it is given out with it, once", () => {
    const { events, brief } = assemble([
      delta(0, undefined, undefined, '{"a"'),
      delta(0, undefined, undefined, ":1"),
      delta(0, "a", "f"),
      delta(0, undefined, undefined, "}"),
      toolCalls,
    ]);
    expect(events.flatMap((event) => (event.type === "call.append" ? [event.text] : []))).toEqual(['{"a":1', "}"]);
    expect(brief).toEqual([["a", "f", '{"a":1}', "complete"]]);
  });
});

describe("a name after the arguments have begun", () => {
  test("may grow, and the close has it whole", () => {
    const { events, brief, codes } = assemble([
      delta(0, "a", "get", "{"),
      delta(0, "a", "get_weather", "}"),
      toolCalls,
    ]);
    expect(brief).toEqual([["a", "get_weather", "{}", "complete"]]);
    expect(codes).toContain("name-fragmented");
    expect(events.find((event) => event.type === "call.start")).toMatchObject({ call: { name: "get" } });
  });

  test("restated by its bare form is the same name", () => {
    expect(
      assemble([delta(0, "a", "functions.f:0", ""), delta(0, "a", "f", "{}"), toolCalls], { tools: [{ name: "f" }] })
        .brief,
    ).toEqual([["a", "f", "{}", "complete"]]);
  });

  test("a token that leaks behind it in pieces of its own is no other call", () => {
    expect(
      assemble(
        [
          delta(0, "a", "f", ""),
          delta(0, undefined, "<|channel|>"),
          delta(0, undefined, "commentary"),
          delta(0, undefined, undefined, "{}"),
          toolCalls,
        ],
        { tools: [{ name: "f" }] },
      ).brief,
    ).toEqual([["a", "f", "{}", "complete"]]);
  });
});
