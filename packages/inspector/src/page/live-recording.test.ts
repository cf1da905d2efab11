import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { bytesOf, chatBody, fragment } from "../model/bodies.test-kit.ts";
import type { Piece } from "../model/recording.ts";
import { LiveRecording } from "./live-recording.ts";

const BODY = bytesOf(chatBody([fragment(0, '{"a":', "c", "f"), fragment(0, "1}")]));

/** The body in pieces of some sizes, each with its offset. */
function cut(size: number): readonly { readonly offset: number; readonly piece: Piece }[] {
  const pieces: { offset: number; piece: Piece }[] = [];
  for (let offset = 0; offset < BODY.length; offset += size)
    pieces.push({ offset, piece: { bytes: BODY.subarray(offset, offset + size), time: offset } });
  return pieces;
}

function whole(live: LiveRecording): void {
  const { bytes, collected, over } = live.recording;
  expect(Buffer.from(bytes.slice(0, bytes.length)).equals(Buffer.from(BODY))).toBe(true);
  expect([collected.calls.map(({ argumentsText }) => argumentsText), over]).toEqual([['{"a":1}'], true]);
}

describe("a live recording", () => {
  test.prop([fc.integer({ min: 1, max: 200 }), fc.nat(20), fc.nat(20)])(
    "misses nothing and doubles nothing, whenever the body was fetched",
    (size, told, fetched) => {
      const pieces = cut(size);
      const live = new LiveRecording({});
      // What is told before the body has come may begin anywhere behind its beginning.
      const first = Math.min(told, pieces.length);
      const end = Math.max(first, Math.min(fetched, pieces.length));
      for (const { offset, piece } of pieces.slice(first, end)) live.chunk(offset, piece);
      live.fetched(pieces.slice(0, end).map(({ piece }) => piece));
      for (const { offset, piece } of pieces.slice(end)) live.chunk(offset, piece);
      live.end();
      whole(live);
    },
  );

  it("goes on where it was when the connection was lost", () => {
    const pieces = cut(25);
    const live = new LiveRecording({});
    live.fetched([]);
    for (const { offset, piece } of pieces.slice(0, 3)) live.chunk(offset, piece);
    // Three chunks were missed; the end was heard before they could be fetched.
    for (const { offset, piece } of pieces.slice(6)) live.chunk(offset, piece);
    live.end();
    expect(live.recording.over).toBe(false);
    live.fetched(pieces.map(({ piece }) => piece));
    whole(live);
  });
});
