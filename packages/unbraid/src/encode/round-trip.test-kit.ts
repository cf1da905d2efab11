// Events through a wire and back. Owns the way there and back for each wire that can be written and read.

import { expect } from "vitest";
import { idSeed, makeId } from "../assembly/make-id.ts";
import type { StreamEvent } from "../events.ts";
import { inRandomPieces } from "../protocols/reading.test-kit.ts";
import { protocols } from "../protocols/index.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { encodeAnthropic } from "./anthropic.ts";
import type { EncodeOptions, Encoder, WholeResponse } from "./encoder.ts";
import { comparable, type RoundWire, type Said, saidOf, type Way } from "./equivalence.test-kit.ts";
import { encodeGemini } from "./gemini.ts";
import { encodeOllama } from "./ollama.ts";
import { encodeOpenaiChat } from "./openai-chat.ts";
import { encodeOpenaiResponses } from "./openai-responses.ts";
import { wholeAnthropic, wholeGemini, wholeOllama, wholeOpenaiChat, wholeOpenaiResponses } from "./whole-forms.ts";

/** Every wire that can be written and read, and its variants. */
export const WAYS: readonly (readonly [string, RoundWire, (options: EncodeOptions) => Encoder])[] = [
  ["openai-chat", "openai-chat", encodeOpenaiChat],
  ["openai-responses", "openai-responses", encodeOpenaiResponses],
  ["anthropic", "anthropic", encodeAnthropic],
  ["gemini", "gemini", encodeGemini],
  ["gemini as an array", "gemini", (options) => encodeGemini({ ...options, framing: "json-array" })],
  ["ollama", "ollama", encodeOllama],
];

/** What writes a whole body for each wire. */
const WHOLE: Readonly<Record<RoundWire, (events: Iterable<StreamEvent>, options: EncodeOptions) => WholeResponse>> = {
  "openai-chat": wholeOpenaiChat,
  "openai-responses": wholeOpenaiResponses,
  anthropic: wholeAnthropic,
  gemini: wholeGemini,
  ollama: wholeOllama,
};

/** The body that an encoder writes. */
export function bodyOf(encoder: Encoder, events: Iterable<StreamEvent>): string {
  let body = "";
  for (const event of events) body += encoder.push(event);
  return body + encoder.end();
}

/** What a reader of the wire says of a body, cut at random. */
function readBack(wire: RoundWire, body: string, seed: number): StreamEvent[] {
  const reader = new TolerantReader(protocols[wire]);
  const events: StreamEvent[] = [];
  for (const piece of inRandomPieces(new TextEncoder().encode(body), seed)) events.push(...reader.push(piece));
  events.push(...reader.end());
  return events;
}

/** The events of the first response: an encoder writes one. */
export function firstResponse(all: readonly StreamEvent[]): StreamEvent[] {
  const lane = all.find(({ type }) => type !== "notice")?.at.lane;
  const events = all.filter(({ at }) => at.lane === lane);
  const end = events.findIndex(({ type }) => type === "finish");
  return events.slice(0, end === -1 ? events.length : end + 1);
}

/** Checks that events come back from a wire. */
export function expectBack(
  events: readonly StreamEvent[],
  make: (options: EncodeOptions) => Encoder,
  way: Way,
  seed = 1,
): void {
  expectBodyBack(events, bodyOf(make(optionsOf(way)), events), way, seed);
}

/** Checks that events come back from a body that is not streamed. */
export function expectWholeBack(events: readonly StreamEvent[], way: Way): void {
  if (contradictsItself(events)) return;
  const { status, body } = WHOLE[way.wire](events, optionsOf(way));
  // An error is all that there is.
  if (status !== 200)
    return expect(saidOf(readBack(way.wire, JSON.stringify(body), 1), way, true).finish).toBe("error");
  expectBodyBack(events, JSON.stringify(body), { ...way, hold: true, whole: true }, 1);
}

/** A recording whose deltas are not all there says one text in pieces and another at its end; a whole body has the latter. */
function contradictsItself(events: readonly StreamEvent[]): boolean {
  const streamed = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  return events.some(
    (event) =>
      event.type === "part" &&
      contentOf(event.part).some(({ text }) => typeof text === "string" && !streamed.includes(text)),
  );
}

function contentOf(value: unknown): readonly { readonly text?: unknown }[] {
  const { type, content } = (value ?? {}) as { type?: unknown; content?: unknown };
  return type === "message" && Array.isArray(content) ? (content as { text?: unknown }[]) : [];
}

function optionsOf({ from, hold = false }: Way): EncodeOptions {
  return from === undefined ? { hold } : { from, hold };
}

function expectBodyBack(events: readonly StreamEvent[], body: string, asked: Way, seed: number): void {
  // A variant of a wire is another wire.
  const isVariant = events.some((event) => event.type === "response" && event.variant !== undefined);
  const way: Way = isVariant ? { ...asked, from: "text" } : asked;
  const reused = retractedIds(events);
  const before = saidOf(events.map(contradicted(events, way)), way, false);
  const read = readBack(way.wire, body, seed).filter(ofLiving(events)).map(contradicted(events, way));
  const back = saidOf(reused.length === 0 ? read : renamed(read, reused), way, true);
  expect(comparable(adjusted(back, before), way, true), body.slice(0, 20_000)).toEqual(comparable(before, way, false));
}

/**
 * What a vendor contradicts is not compared where the wire cannot say so: the client finds text that it will not run, and a
 * reader that knows cumulative servers may even find what was meant.
 */
function contradicted(events: readonly StreamEvent[], way: Way): (event: StreamEvent) => StreamEvent {
  const ids = new Set(events.flatMap((event) => (event.type === "call.replace" ? [event.call.id] : [])));
  if (ids.size === 0 || way.hold === true || (way.wire !== "openai-chat" && way.wire !== "anthropic"))
    return (event) => event;
  return (event) =>
    event.type === "call.close" && ids.has(event.call.id)
      ? { ...event, call: { ...event.call, argumentsText: "{}", status: "complete" } }
      : event;
}

function retractedIds(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => (event.type === "call.retract" ? [event.call.id] : []));
}

/** A call that took the place of one that was taken back, and its id, is written under another: here it gets it back. */
function renamed(events: readonly StreamEvent[], reused: readonly string[]): StreamEvent[] {
  const known = new Map(reused.map((id) => [makeId(idSeed(id), 1), id]));
  return events.map((event) => {
    if (event.type !== "call.start" && event.type !== "call.close") return event;
    const id = known.get(event.call.id);
    return id === undefined ? event : ({ ...event, call: { ...event.call, id } } as StreamEvent);
  });
}

/** Without what had to be made because the events had nothing for it: an id, a model, the words of an error. */
function adjusted(back: Said, before: Said): Said {
  const code = before.error === null || before.error.code === null ? null : (back.error?.code ?? null);
  return {
    ...back,
    // Where nothing but an error was written, nothing had an id.
    id: before.id === undefined ? undefined : (back.id ?? before.id),
    model: back.id === undefined && back.choices.size === 0 ? before.model : back.model,
    error: before.error === null || back.error === null ? null : { ...back.error, code },
  };
}

/** Calls that were taken back when they had been written come back as what nobody runs, or as what they were. */
function ofLiving(events: readonly StreamEvent[]): (event: StreamEvent) => boolean {
  const living = new Set(events.flatMap((event) => (event.type === "call.close" ? [event.call.key] : [])));
  for (const event of events) if (event.type === "call.retract") living.delete(event.call.key);
  const ids = new Set(
    events.flatMap((event) => (event.type === "call.close" && living.has(event.call.key) ? [event.call.id] : [])),
  );
  const gone = new Set(retractedIds(events).filter((id) => !ids.has(id)));
  return (event) =>
    !(event.type === "call.start" && gone.has(event.call.id)) &&
    !(event.type === "call.close" && (gone.has(event.call.id) || event.call.argumentsText.includes("<taken back: ")));
}
