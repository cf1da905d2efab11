// What the tests of the fast path share: reading a body both ways, and breaking one.

import { expect } from "vitest";
import { createReader } from "./any-wire.ts";
import type { StreamEvent } from "./events.ts";
import type { ProtocolName } from "./protocols/protocol.ts";
import type { ReaderOptions } from "./reader.ts";

/** Reads a body in pieces of changing size: `sizes` over and over. */
export function eventsOf(
  protocol: ProtocolName,
  bytes: Uint8Array,
  sizes: readonly number[],
  fastPath: boolean,
  options: ReaderOptions = {},
): readonly StreamEvent[] {
  const reader = createReader({ ...options, protocol, fastPath });
  const events: StreamEvent[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    events.push(...reader.push(bytes.slice(at, at + size)));
    at += size;
  }
  return [...events, ...reader.end()];
}

/** Reads a body both ways. */
export function expectSame(protocol: ProtocolName, bytes: Uint8Array, ...sizes: readonly number[]): void {
  const [fast, slow] = [true, false].map((fastPath) => eventsOf(protocol, bytes, sizes, fastPath));
  // Events are plain data: as text they are compared in a tenth of the time.
  if (JSON.stringify(fast) !== JSON.stringify(slow)) expect(fast).toEqual(slow);
}

/** The same every run: a small generator of numbers below `below`. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A relative of a body: bytes changed, frames doubled, dropped, swapped, a piece of another frame put in. */
export function mutate(text: string, random: (below: number) => number): string {
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
