// Broken bodies without end: frames of all composed bodies of a wire, drawn, shuffled, cut and bent. Nothing throws, the
// invariants hold, and the cuts change nothing.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import type { ReaderOptions } from "../reader.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { brokenInvariants } from "../invariants.test-kit.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { bytesOf, eventsOf, framesOf, inRandomPieces, random } from "./reading.test-kit.ts";
import { fixturesOf } from "./suite.test-suite.ts";

const ROUNDS = 30_000;
const cases = new URL("../../../../conformance/", import.meta.url);
const tools = JSON.parse(readFileSync(new URL("cases/tools.json", cases), "utf8")) as NonNullable<
  ReaderOptions["tools"]
>;

/** The frames of every small composed body of a wire. */
function framesOfWire(name: string): string[] {
  const composed = ["cases/", "cases-more/"].flatMap((folder) =>
    readdirSync(new URL(folder, cases))
      .filter((file) => file.includes(`.${name}.`) && file.endsWith(".sse"))
      .map((file) => readFileSync(new URL(folder + file, cases), "utf8")),
  );
  return [...composed, ...fixturesOf(name).values()].filter((body) => body.length < 30_000).flatMap(framesOf);
}

/** A frame with something bent in it: a value of another type, a lost field, a stray character. */
function bent(frame: string, next: () => number): string {
  const values = ["null", '""', '"null"', "0", "-1", "1.5", "{}", "[]", "true", '"x"', '{"a":1}', '"{}"'];
  const value = values[Math.floor(next() * values.length)] ?? "null";
  const kind = next();
  const fields = [...frame.matchAll(/"[a-z_A-Z]+":(?:"(?:[^"\\]|\\.)*"|[\d.-]+|null|true|false|\{\}|\[\])/g)];
  const field = fields[Math.floor(next() * fields.length)];
  if (kind < 0.7 && field !== undefined) {
    const key = field[0].slice(0, field[0].indexOf(":") + 1);
    return (
      frame.slice(0, field.index) +
      (kind < 0.5 ? key + value : `${key.replace(/"$|":$/, "_")}x":0`) +
      frame.slice(field.index + field[0].length)
    );
  }
  const at = Math.floor(next() * frame.length);
  return kind < 0.85
    ? frame.slice(0, at) + frame.slice(at + 1)
    : frame.slice(0, at) + frame.slice(at, at + 20) + frame.slice(at);
}

describe.each([openaiChat, openaiResponses, anthropic, gemini])("$name", (protocol) => {
  const frames = framesOfWire(protocol.name);

  test("frames drawn at random, some of them bent", () => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const next = random(seed);
      const body = Array.from({ length: 1 + Math.floor(next() * 14) }, () => {
        const frame = frames[Math.floor(next() * frames.length)] ?? "";
        return next() < 0.2 ? bent(frame, next) : frame;
      }).join("");
      const bytes = bytesOf(body);
      const options: ReaderOptions = {
        ...(next() < 0.5 ? { tools } : {}),
        ...(next() < 0.1
          ? { limits: { maxCalls: 1 + Math.floor(next() * 4), maxArgumentBytes: 1 + Math.floor(next() * 60) } }
          : {}),
      };
      let events: StreamEvent[];
      try {
        events = eventsOf(protocol, [bytes], options);
      } catch (error) {
        throw new Error(`seed ${seed} threw:\n${body}`, { cause: error });
      }
      // Frames of a socket among them make the body a session.
      const session = /"stream_id"|"response\.(?:create"|steer|inject)|"toolCall|"setupComplete|"serverContent/.test(
        body,
      );
      const broken = brokenInvariants(events, bytes.length, session);
      if (broken.length > 0) expect.fail(`seed ${seed}:\n${broken.join("\n")}\n${body}`);
      if (seed % 10 === 0)
        expect(eventsOf(protocol, inRandomPieces(bytes, seed), options), `seed ${seed}`).toEqual(events);
    }
  });
});
