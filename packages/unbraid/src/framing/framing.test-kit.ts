// What the tests of this room share: bodies to bytes, bodies through a framer in pieces, and generated bodies.

import * as fc from "fast-check";
import { createFramer, type Frame, type FramingOptions } from "./index.ts";

/** Bytes of texts and of single bytes, one after another. */
export function bytesOf(...parts: readonly (string | number | Uint8Array)[]): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = parts.map((part) => {
    if (typeof part === "string") return encoder.encode(part);
    return typeof part === "number" ? Uint8Array.of(part) : part;
  });
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The frames of a body that comes cut at the given places. Each piece is overwritten once it has been pushed. */
export function framesOf(wire: string | Uint8Array, options?: FramingOptions, cuts: readonly number[] = []): Frame[] {
  const bytes = typeof wire === "string" ? bytesOf(wire) : wire;
  const framer = createFramer(options);
  const frames: Frame[] = [];
  const places = [...new Set([0, ...cuts, bytes.length])].toSorted((a, b) => a - b);
  for (const [i, from] of places.entries()) {
    const piece = bytes.slice(from, places[i + 1] ?? bytes.length);
    framer.push(piece, (frame) => frames.push(frame));
    piece.fill(0x21);
  }
  framer.end((frame) => frames.push(frame));
  return frames;
}

/** Frames by their text alone. */
export function dataOf(wire: string | Uint8Array, options?: FramingOptions): string[] {
  return framesOf(wire, options).map((frame) => frame.data);
}

/** Frames in short: `event: data (fault) …`, the dots where the body ended inside. */
export function shortOf(wire: string | Uint8Array, options?: FramingOptions): string[] {
  return framesOf(wire, options).map(({ data, event, fault, terminated }) => {
    const parts = [event === undefined ? "" : `${event}: `, data, fault === undefined ? "" : ` (${fault.code})`];
    return parts.join("") + (terminated ? "" : " …");
  });
}

/** Every place inside a body. */
export function everyByte(wire: Uint8Array): number[] {
  return Array.from(wire, (_, i) => i);
}

// prettier-ignore
const ssePieces = [
  "data: ", "data:", "data", "event: ", "event:x", "id: 1", "retry: 5", ": ping", ":", "foo: bar", "foo", " data: y",
  '{"a":1}', '{"a":"b\\"c"}', '"a":1', "{", "}", "[", "]", '"', "[DONE]", "data: [DONE]", "<html>", "upstream error",
  " ", "\t", "é", "天気", "\u{1f600}", "\uFEFF", "x",
];
// prettier-ignore
const jsonPieces = [
  "{", "}", "[", "]", '"', "\\", ",", ":", " ", "1", "-2.5e3", "true", "null", '{"a":1}', '{"a":"]}\\"["}', '["x",{}]',
  "[DONE]", "data: ", "data: [DONE]", "event: x", ": ping", "DONE", "words", "é", "\u{1f600}", "\uFEFF",
];
const lineEnds = ["\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n"];
const brokenBytes = [0xff, 0xc3, 0xe5, 0xf0, 0x80, 0xef, 0xbb];

function bodyOf(pieces: readonly string[]): fc.Arbitrary<Uint8Array> {
  const part = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pieces) },
    { weight: 5, arbitrary: fc.constantFrom(...lineEnds) },
    { weight: 1, arbitrary: fc.constantFrom(...brokenBytes) },
  );
  return fc.array(part, { maxLength: 24 }).map((parts) => bytesOf(...parts));
}

/** Any body of SSE lines, sound and not, with bytes that are no UTF-8. */
export const sseBody: fc.Arbitrary<Uint8Array> = bodyOf(ssePieces);

/** Any body of JSON and of what servers put between, sound and not. */
export const jsonBody: fc.Arbitrary<Uint8Array> = bodyOf(jsonPieces);

/** Any body. */
export const anyBody: fc.Arbitrary<Uint8Array> = fc.oneof(
  sseBody,
  jsonBody,
  bodyOf([...ssePieces, ...jsonPieces]),
  fc.uint8Array({ maxLength: 40 }),
);

/** A body long enough for several of the stretches that are decoded at once. */
export const longBody: fc.Arbitrary<Uint8Array> = fc
  .array(
    fc.tuple(
      fc.oneof(sseBody, jsonBody),
      fc.constantFrom(
        "x",
        "é",
        "\n",
        "\r\n",
        ": y\n",
        'data: {"a":1}\n\n',
        "data: é\r\n\r\n",
        '{"a":"é"}\n',
        "data: z\r\r",
      ),
      fc.nat(9000),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) =>
    bytesOf(...parts.flatMap(([some, filler, size]) => [some, filler.repeat(Math.ceil(size / filler.length))])),
  );
