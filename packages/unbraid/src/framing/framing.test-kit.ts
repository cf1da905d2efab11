// What the tests of this room share: bodies to bytes, bodies through a framer in pieces, and generated bodies.

import fc from "fast-check";
import { createFramer, type Frame, type FramingOptions } from "./index.ts";

/** Bytes of a text; a number in the list is one byte. */
export function bytesOf(...parts: (string | number | Uint8Array)[]): Uint8Array {
  const pieces = parts.map((part) =>
    typeof part === "string" ? new TextEncoder().encode(part) : typeof part === "number" ? [part] : part,
  );
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

/** The frames of a body that comes cut at the given places. Each piece is overwritten once it has been pushed. */
export function framesOf(body: string | Uint8Array, options: FramingOptions = {}, cuts: readonly number[] = []): Frame[] {
  const bytes = typeof body === "string" ? bytesOf(body) : body;
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
export function dataOf(body: string | Uint8Array, options?: FramingOptions): string[] {
  return framesOf(body, options).map((frame) => frame.data);
}

/** Every place inside a body. */
export function everyByte(body: Uint8Array): number[] {
  return Array.from(body, (_, i) => i);
}

/** Frames, each with what stands out about it: text, event, fault, and `cut` where the body ended inside. */
export function outlineOf(frames: readonly Frame[]): string[] {
  return frames.map(({ data, event, fault, terminated }) =>
    [event === undefined ? "" : `${event}: `, data, fault === undefined ? "" : ` (${fault.code})`, terminated ? "" : " …"].join(""),
  );
}

/** Pieces of SSE bodies, sound and not. */
const ssePieces = [
  "data: ", "data:", "data", "event: ", "event:x", "id: 1", "retry: 5", ": ping", ":", "foo: bar", "foo",
  '{"a":1}', '{"a":"b\\"c"}', "{", "}", "[", "]", '"', "[DONE]", "data: [DONE]", "<html>", "upstream error", " ", "\t",
  "é", "天気", "\u{1f600}", "\uFEFF", "x",
];
const jsonPieces = [
  "{", "}", "[", "]", '"', "\\", ",", ":", " ", "1", "-2.5e3", "true", "null", '{"a":1}', '{"a":"]}\\"["}', '["x",{}]',
  "[DONE]", "data: ", "data: [DONE]", "event: x", ": ping", "DONE", "words", "é", "\u{1f600}", "\uFEFF",
];
const lineEnds = ["\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n"];
const broken = [0xff, 0xc3, 0xe5, 0xf0, 0x80, 0xef, 0xbb];

/** A body put together from pieces, line ends and bytes that are no UTF-8. */
function body(pieces: readonly string[]): fc.Arbitrary<Uint8Array> {
  const part = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pieces) },
    { weight: 5, arbitrary: fc.constantFrom(...lineEnds) },
    { weight: 1, arbitrary: fc.constantFrom(...broken) },
  );
  return fc.array(part, { maxLength: 24 }).map((parts) => bytesOf(...parts));
}

/** Any body of SSE lines. */
export const sseBody: fc.Arbitrary<Uint8Array> = body(ssePieces);
/** Any body of JSON and what servers put between. */
export const jsonBody: fc.Arbitrary<Uint8Array> = body(jsonPieces);
/** Any body. */
export const anyBody: fc.Arbitrary<Uint8Array> = fc.oneof(sseBody, jsonBody, body([...ssePieces, ...jsonPieces]), fc.uint8Array({ maxLength: 40 }));
