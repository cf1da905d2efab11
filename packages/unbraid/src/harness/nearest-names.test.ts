import { describe, expect, test } from "vitest";
import { nearestNames } from "./nearest-names.ts";

const KNOWN = ["search", "get_weather", "read_file", "write_file", "run", "sql"];

describe("nearestNames", () => {
  test.each([
    ["serch", ["search"]],
    ["saerch", ["search"]],
    ["Search", ["search"]],
    ["getWeather", ["get_weather"]],
    ["get-weather", ["get_weather"]],
    ["functions.search", ["search"]],
    ["weather", ["get_weather"]],
    ["readfile", ["read_file"]],
    ["rum", ["run"]],
    ["teleport", []],
    ["x", []],
    ["", []],
    ["***", []],
  ])("%s → %j", (name, nearest) => {
    expect(nearestNames(name, KNOWN)).toEqual(nearest);
  });

  test("a name of one letter is near no other one", () => {
    expect(nearestNames("Z", ["a", "z", "v"])).toEqual(["z"]);
  });

  test("gives the nearest first, and few", () => {
    expect(nearestNames("file_a", ["file_b", "file_a1", "fileA", "file_c", "other"])).toEqual([
      "fileA",
      "file_a1",
      "file_b",
    ]);
    expect(nearestNames("file_a", ["file_b", "file_a1", "fileA"], 1)).toEqual(["fileA"]);
  });

  test("is bounded in cost", () => {
    const known = Array.from({ length: 20_000 }, (_, at) => `${"tool_".repeat(20)}${at}`);
    const start = performance.now();
    nearestNames("tool_".repeat(1_000_000), known);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
