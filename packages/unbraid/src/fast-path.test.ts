// The fast path says what the parser says: every body that we have, whole and cut, mutated, and made for it.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createReader } from "./any-wire.ts";
import type { StreamEvent } from "./events.ts";
import type { ProtocolName } from "./protocols/protocol.ts";

const root = new URL("../../../", import.meta.url).pathname;
const NAMES: readonly ProtocolName[] = ["openai-chat", "openai-responses", "anthropic"];

interface Body {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly bytes: Uint8Array;
}

function bodiesIn(folder: string): Body[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name): Body[] => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return bodiesIn(path);
    const protocol = NAMES.find((each) => name.includes(`.${each}.`) || folder.endsWith(`/${each}`));
    if (protocol === undefined || !/\.(?:sse|body|ndjson|txt)$/.test(name)) return [];
    return [{ name, protocol, bytes: readFileSync(path) }];
  });
}

function eventsOf(protocol: ProtocolName, bytes: Uint8Array, size: number, fastPath: boolean): readonly StreamEvent[] {
  const reader = createReader({ protocol, fastPath });
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...reader.push(bytes.subarray(at, at + size)));
  return [...events, ...reader.end()];
}

function expectSame(protocol: ProtocolName, bytes: Uint8Array, size: number): void {
  expect(eventsOf(protocol, bytes, size, true)).toEqual(eventsOf(protocol, bytes, size, false));
}

/** The same every run: a small generator of numbers below `below`. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A relative of a body: bytes changed, frames doubled, dropped, swapped, a piece of another frame put in. */
function mutate(text: string, random: (below: number) => number): string {
  const frames = text.split("\n\n");
  for (let times = 1 + random(4); times > 0; times--) {
    const at = random(frames.length);
    const frame = frames[at] ?? "";
    const place = random(frame.length + 1);
    const other = frames[random(frames.length)] ?? "";
    const changes: (() => void)[] = [
      () => frames.splice(at, 0, frame),
      () => frames.splice(at, 1),
      () => frames.splice(at, 1, other),
      () => frames.splice(at, 1, frame.slice(0, place) + frame.slice(place + 1)),
      () => frames.splice(at, 1, frame.slice(0, place) + '"\\,:{}[]0 \u0001é'.charAt(random(14)) + frame.slice(place)),
      () =>
        frames.splice(
          at,
          1,
          frame.slice(0, place) + other.slice(random(other.length + 1)).slice(0, 9) + frame.slice(place),
        ),
    ];
    changes[random(changes.length)]?.();
  }
  return frames.join("\n\n");
}

const bodies = [
  ...bodiesIn(join(root, "conformance")),
  ...bodiesIn(join(root, "packages/unbraid/src/protocols/fixtures")),
  ...bodiesIn(join(root, "../shared/conformance/corpus")),
];

describe("the fast path and the parser say the same", () => {
  test("of every body, whole and in pieces", () => {
    expect(bodies.length).toBeGreaterThan(150);
    for (const { protocol, bytes } of bodies)
      for (const size of [bytes.length || 1, 61]) expectSame(protocol, bytes, size);
  });

  test("of bodies that were broken in every way", () => {
    const random = numbers(7);
    for (const { protocol, bytes } of bodies) {
      if (bytes.length > 20_000) continue;
      const text = new TextDecoder().decode(bytes);
      for (let turn = 0; turn < 8; turn++)
        expectSame(protocol, new TextEncoder().encode(mutate(text, random)), 1 << 20);
    }
  });

  test("and the fast path is taken where it should be", () => {
    const fragment = (text: string, index: number): string =>
      `data: {"id":"r","choices":[{"index":0,"delta":{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(text)}}}]},"finish_reason":null}]}\n\n`;
    const parse = JSON.parse.bind(JSON);
    let parsed = 0;
    JSON.parse = (text: string) => {
      parsed++;
      return parse(text) as unknown;
    };
    try {
      const reader = createReader({ protocol: "openai-chat" });
      for (let turn = 0; turn < 200; turn++) reader.push(fragment(turn === 0 ? '{"a":"' : "x", 0));
    } finally {
      JSON.parse = parse;
    }
    expect(parsed).toBeLessThan(20);
  });
});
