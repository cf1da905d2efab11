// Streams that were broken at random: frames dropped, doubled, swapped, cut, or with one field changed. Owns the breaking, and
// what must hold of the mended stream whatever it was.

import { createParser } from "eventsource-parser";
import type { Collected, ToolCall } from "unbraid";
import { expect } from "vitest";
import { type Body, composed, essence, fixtures, framingOf, mended, readAll, tools } from "./mend.test-kit.ts";

/** Numbers from 0 to 1, the same for the same seed (mulberry32, public domain). */
function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Partial arguments, and items that only the vendor runs, are for the client itself: nothing of theirs is mended. */
const bodies = [...composed(), ...fixtures()].filter(
  (body) =>
    framingOf(body) === "sse" && body.bytes.includes("\n\n") && !/partial_?args|mcp_call/i.test(String(body.bytes)),
);

/** The values that a field may have instead. */
const VALUES = ["null", '""', "0", "1", "-1", "[]", "{}", '"x"', "true", '"call_other"', '"{\\"a\\":1}"'];

function broken(body: Body, next: () => number): Body {
  const frames = body.bytes.toString().split(/(?<=\n\n)/);
  const pick = (): number => Math.floor(next() * frames.length);
  for (let times = 1 + Math.floor(next() * 2); times > 0; times--) {
    const at = pick();
    const frame = frames[at] ?? "";
    switch (Math.floor(next() * 6)) {
      case 0:
        frames.splice(at, 1);
        break;
      case 1:
        frames.splice(pick(), 0, frame);
        break;
      case 2: {
        const other = pick();
        frames[at] = frames[other] ?? "";
        frames[other] = frame;
        break;
      }
      case 3:
        frames[at] = frame.slice(0, Math.floor(next() * frame.length));
        break;
      case 4:
        frames.length = at;
        break;
      default: {
        const fields = [
          ...frame.matchAll(
            /"(?:id|index|name|type|arguments|input|finish_reason|output_index|item_id|call_id|partial_json|delta|content|choices|tool_calls|function|stop_reason|args|parts|finishReason)":(?:"(?:[^"\\]|\\.)*"|-?\d+|null|true|false|\{\}|\[\])/g,
          ),
        ];
        const field = fields[Math.floor(next() * fields.length)];
        if (field === undefined) break;
        const name = field[0].slice(0, field[0].indexOf(":") + 1);
        const value = VALUES[Math.floor(next() * VALUES.length)];
        frames[at] = `${frame.slice(0, field.index)}${name}${value}${frame.slice(field.index + field[0].length)}`;
      }
    }
  }
  return { ...body, bytes: Buffer.from(frames.join("")) };
}

/** Breaks so many streams and looks at each of them mended. */
export function checkBroken(count: number, seed: number): void {
  const next = random(seed);
  for (let at = 0; at < count; at++) {
    const body = broken(bodies[Math.floor(next() * bodies.length)] as Body, next);
    const words = `${body.name}, number ${at}:\n${body.bytes.toString()}\n`;
    const { bytes } = mended(body);
    // Comments and blank lines pass when they come before a frame that is written anew does.
    const plain = (text: Buffer): string =>
      text
        .toString()
        .replaceAll(/^:.*\n/gm, "")
        .replaceAll(/[\r\n]+/g, "\n")
        .trim();
    expect(plain(mended(body, {}, 1 + Math.floor(next() * 50)).bytes), `${words} cut otherwise`).toBe(plain(bytes));
    checkFrames(bytes, words);
    checkCalls(body, bytes, words);
  }
}

/** Calls that can be written, less those that were sent and taken back. */
function isNamed({ name, argumentsText }: ToolCall): boolean {
  return name !== "" && !/<taken back: [a-z-]+>$/.test(argumentsText);
}

function checkFrames(bytes: Buffer, words: string): void {
  createParser({
    onEvent: ({ data }) => {
      if (data !== "[DONE]") expect(() => JSON.parse(data) as unknown, `${words} ${data}`).not.toThrow();
    },
  }).feed(bytes.toString());
}

/** The client is told what is true, or that the answer failed; and is never left without an end. */
function checkCalls(body: Body, bytes: Buffer, words: string): void {
  const before = readAll(body.protocol, body.bytes, tools);
  const after = readAll(body.protocol, bytes);
  // A bare role under another id, which is what is left of a chunk whose call belongs elsewhere, reads as a new beginning.
  // A malformed call is not told from a restatement of the one before it by its text, nor when it is read again.
  if (after.notices.some(({ code }) => code === "superseded-by-restart")) return;
  const malformed = before.calls.some(({ status }) => status === "malformed");
  if (malformed && after.notices.some(({ code }) => code === "identity-guessed")) return;
  const all = `${words}\nbecame\n${bytes.toString()}\n`;
  expect(after.finish, all).not.toBeNull();
  if (after.error !== null) return;
  expect(after.rawFinish === null ? "none" : "some", all).toBe("some");
  // A call that is not whole and looks so is written as one that nobody can take for whole.
  const comparable = (from: Collected): string[] =>
    (essence({ ...from, calls: from.calls.filter(isNamed) }).said as [string[]])[0].map((each) =>
      each
        .replace(/"(?:malformed|truncated)","(?:[^"\\]|\\.)*"\]$/, '"not whole"]')
        .replace(/"complete",\{.*"invalid_arguments":.*$/, '"not whole"]'),
    );
  // Where the end says that the answer was cut, a call that is not whole may be left out.
  const well = before.finish === "tool_calls" || before.finish === "stop";
  const kept = (from: Collected): string[] =>
    comparable(from)
      .filter((each) => well || !each.endsWith('"not whole"]'))
      .toSorted();
  expect(kept(after), all).toEqual(kept(before));
}
