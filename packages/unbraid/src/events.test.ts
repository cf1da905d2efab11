// Events are plain data: what a reader says can be written down and read again, whatever the wire said.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createReader, type DeclaredTool, type Limits, type ProtocolName, type StreamEvent, wires } from "./index.ts";
import { recordings } from "./sdk/recordings.test-kit.ts";

const cases = fileURLToPath(new URL("../../../conformance/cases/", import.meta.url));
const names = readdirSync(cases);

interface Case {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly body: Uint8Array;
  readonly limits?: Partial<Limits>;
}

function composed(): Case[] {
  return names.flatMap((name) => {
    const [, stem = "", protocol = ""] = /^([^.]+)\.([a-z-]+)\.[a-z]+$/.exec(name) ?? [];
    if (!Object.hasOwn(wires, protocol)) return [];
    const expected = JSON.parse(readFileSync(`${cases}${stem}.expected.json`, "utf8")) as { limits?: Partial<Limits> };
    const limits = expected.limits === undefined ? {} : { limits: expected.limits };
    return [{ name, protocol: protocol as ProtocolName, body: readFileSync(cases + name), ...limits }];
  });
}

const tools = names.includes("tools.json")
  ? (JSON.parse(readFileSync(`${cases}tools.json`, "utf8")) as DeclaredTool[])
  : [];

function eventsOf({ protocol, body, limits }: Case): StreamEvent[] {
  const reader = createReader({ protocol, tools, ...(limits === undefined ? {} : { limits }), clock: () => 1.5 });
  return [...reader.push(body), ...reader.end()];
}

/** Nothing but objects, arrays, strings, finite numbers, booleans and null. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null)
    return ["string", "boolean"].includes(typeof value) || value === null || Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlain);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

describe("every event of every composed case survives being written down", () => {
  test.each(composed().map((each) => [each.name, each] as const))("%s", (_, each) => {
    const events = eventsOf(each);
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) {
      expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event);
      expect(isPlain(event), JSON.stringify(event).slice(0, 200)).toBe(true);
    }
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("finish");
  });
});

test("so do those of the recordings, where they are here", () => {
  for (const { file, protocol, body } of recordings()) {
    const events = eventsOf({ name: file, protocol, body });
    expect(JSON.parse(JSON.stringify(events)), file).toStrictEqual(events);
  }
});

test("and events are not changed by what is read after them", () => {
  for (const each of composed()) {
    const reader = createReader({ protocol: each.protocol, tools });
    const events: StreamEvent[] = [];
    const said: string[] = [];
    for (let at = 0; at < each.body.length; at += 97) {
      for (const event of reader.push(each.body.subarray(at, at + 97))) {
        events.push(event);
        said.push(JSON.stringify(event));
      }
    }
    reader.end();
    expect(
      events.map((event) => JSON.stringify(event)),
      each.name,
    ).toEqual(said);
  }
});
