// How tests read a body: whole, in pieces, mutated. Owns the ways to cut and to disturb; knows no wire.

import { Collector, type Collected } from "../collect.ts";
import type { StreamEvent } from "../events.ts";
import { withParts } from "../parts/with-parts.ts";
import type { ReaderOptions } from "../reader.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import type { Protocol } from "./protocol.ts";

const encoder = new TextEncoder();

/** Numbers in [0, 1), the same ones for the same seed. mulberry32, public domain. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A body as bytes. */
export function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? encoder.encode(body) : body;
}

/** Bytes in pieces of `size`. */
export function inPieces(body: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return pieces;
}

/** Bytes in pieces of random length, many of them short. */
export function inRandomPieces(body: Uint8Array, seed: number): Uint8Array[] {
  const next = random(seed);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length;) {
    const size = Math.floor(next() ** 3 * 200) + (next() < 0.1 ? 0 : 1);
    pieces.push(body.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** Everything that a reader says of these pieces. */
export function eventsOf(
  protocol: Protocol,
  pieces: Iterable<Uint8Array | string>,
  options: ReaderOptions = {},
): StreamEvent[] {
  const reader = new TolerantReader(protocol, withParts(options));
  const events: StreamEvent[] = [];
  for (const piece of pieces) events.push(...reader.push(piece));
  events.push(...reader.end());
  return events;
}

/** The answer that a body comes to. */
export function answerOf(protocol: Protocol, body: string | Uint8Array, options?: ReaderOptions): Collected {
  return collected(eventsOf(protocol, [bytesOf(body)], options));
}

/** Folds events. */
export function collected(events: Iterable<StreamEvent>): Collected {
  const collector = new Collector();
  for (const event of events) collector.add(event);
  return collector.result;
}

/**
 * Events without their positions, with texts that stand side by side joined: what must stay the same when only the
 * framing around the same messages changes. Ids that were made are told by their order: they are derived from the bytes.
 */
export function meaningOf(events: readonly StreamEvent[]): unknown[] {
  const made = new Map<string, string>();
  for (const event of events) {
    if ("call" in event && typeof event.call === "object" && event.call.madeId === true && !made.has(event.call.id))
      made.set(event.call.id, `made-${made.size}`);
  }
  return events.map((event) => {
    const { at: _, ...rest } = event;
    return JSON.parse(
      JSON.stringify(rest, (_key, value: unknown) => (typeof value === "string" ? (made.get(value) ?? value) : value)),
    ) as unknown;
  });
}

/** An SSE body as its events, blank lines included. */
export function framesOf(body: string): string[] {
  return body.split(/(?<=\r\n\r\n|\n\n|\r\r)/);
}

/** The list in random order. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const next = random(seed);
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    const held = copy[i] as T;
    copy[i] = copy[j] as T;
    copy[j] = held;
  }
  return copy;
}
