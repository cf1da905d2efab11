// Frames of all composed bodies of a wire, drawn at random, some of them bent: nothing throws, the invariants hold, and the
// cuts change nothing.

import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import { brokenInvariants } from "../invariants.test-kit.ts";
import { bedrock } from "./bedrock.ts";
import { cohere } from "./cohere.ts";
import { gemini } from "./gemini.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openaiRealtime } from "./openai-realtime.ts";
import { openaiResponses } from "./openai-responses.ts";
import { bytesOf, eventsOf, inRandomPieces, random } from "./reading.test-kit.ts";
import { bodiesOf, framesOf } from "./wires.test-kit.ts";

const ROUNDS = 8_000;
const VALUES = [null, "", "null", 0, -1, 1.5, {}, [], true, "x", { a: 1 }, "{}", '{"a":1}', [[]], [null], "data", 1e21];

/** A frame with one of its JSON values replaced, or a key renamed. */
function bent(frame: string, next: () => number): string {
  const at = frame.indexOf("{");
  if (at < 0) return frame;
  try {
    const value = JSON.parse(frame.slice(at)) as unknown;
    const places: [Record<string, unknown>, string][] = [];
    const visit = (held: unknown): void => {
      if (typeof held !== "object" || held === null) return;
      for (const [key, inner] of Object.entries(held)) {
        places.push([held as Record<string, unknown>, key]);
        visit(inner);
      }
    };
    visit(value);
    const place = places[Math.floor(next() * places.length)];
    if (place === undefined) return frame;
    const [held, key] = place;
    if (next() < 0.2) Reflect.deleteProperty(held, key);
    else held[key] = VALUES[Math.floor(next() * VALUES.length)];
    return `${frame.slice(0, at)}${JSON.stringify(value)}${frame.endsWith("\n\n") ? "\n\n" : "\n"}`;
  } catch {
    return frame;
  }
}

describe.each([bedrock, cohere, gemini, mistral, ollama, openaiRealtime, openaiResponses])("$name", (protocol) => {
  const decoder = new TextDecoder();
  const bodies = bodiesOf(protocol.name).filter(({ file }) => /\.(?:ndjson|sse)$/.test(file));
  const frames = bodies.map((body) => framesOf(body).map((frame) => decoder.decode(frame)));

  test("frames drawn at random, some of them bent", { timeout: 600_000 }, () => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const next = random(seed);
      // Of one body or of several in one framing, in their order or not.
      const at = Math.floor(next() * bodies.length);
      const extension = bodies[at]?.file.split(".").at(-1);
      const pool =
        next() < 0.5
          ? (frames[at] ?? [])
          : frames.flatMap((all, i) => (bodies[i]?.file.endsWith(`.${extension}`) ? all : []));
      const inOrder = next() < 0.5;
      const drawn = inOrder
        ? pool.filter(() => next() < 0.9)
        : Array.from({ length: 1 + Math.floor(next() * 16) }, () => pool[Math.floor(next() * pool.length)] ?? "");
      const body = drawn.map((frame) => (next() < 0.2 ? bent(frame, next) : frame)).join("");
      const bytes = bytesOf(body);
      const options =
        next() < 0.1
          ? { limits: { maxCalls: 1 + Math.floor(next() * 4), maxArgumentBytes: 1 + Math.floor(next() * 60) } }
          : {};
      let events: StreamEvent[];
      try {
        events = eventsOf(protocol, [bytes], options);
      } catch (error) {
        throw new Error(`seed ${seed} threw:\n${body}`, { cause: error });
      }
      const session =
        ["openai-realtime", "openai-responses", "gemini"].includes(protocol.name) && extension === "ndjson";
      const broken = brokenInvariants(events, bytes.length, session);
      if (broken.length > 0) expect.fail(`seed ${seed}:\n${broken.join("\n")}\n${body}`);
      if (seed % 20 === 0)
        expect(eventsOf(protocol, inRandomPieces(bytes, seed), options), `seed ${seed}`).toEqual(events);
    }
  });
});
