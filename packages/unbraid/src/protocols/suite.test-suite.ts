// The one suite that every protocol runs over its own wire bodies, and what a body's right answer is. Owns the checks;
// the bodies and the answers stand in the test file of each protocol.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Collected } from "../collect.ts";
import type { FinishReason, NoticeCode, StreamEvent } from "../events.ts";
import type { ReaderOptions } from "../reader.ts";
import { brokenInvariants, REPAIRS } from "../invariants.test-kit.ts";
import type { Protocol } from "./protocol.ts";
import {
  bytesOf,
  collected,
  eventsOf,
  framesOf,
  inPieces,
  inRandomPieces,
  meaningOf,
  random,
  shuffled,
} from "./reading.test-kit.ts";

/** Reads of one body, cut off at one byte after another; a longer body is cut at every second byte, or third, … */
const MOST_CUTS = 600;

/**
 * A call as a right answer names it: id (null: made), name, argument text, and what differs from a complete function call.
 * The text `*` stands for any: what a vendor's own tool was given has no one spelling.
 */
export type ExpectedCall = readonly [id: string | null, name: string, argumentsText: string, rest?: ExpectedRest];

interface ExpectedRest {
  readonly status?: "truncated" | "malformed";
  readonly kind?: string;
  readonly choice?: number;
  /** Fields that the call's `echo` must hold, among others. */
  readonly echo?: Readonly<Record<string, unknown>>;
}

/** The right answer to one body. What is left away is not compared. */
export interface Answer {
  readonly calls: readonly ExpectedCall[];
  readonly finish: FinishReason | null;
  readonly raw?: string | null;
  readonly text?: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly error?: string | number | null;
  /** Notices that must have been said. Absent: the body is sound, and none may be. Repairs that are not named never may. */
  readonly notices?: readonly NoticeCode[];
  readonly dropped?: readonly string[];
  readonly outputTokens?: number;
  readonly options?: ReaderOptions;
}

/** The bodies of a protocol, by file name. */
export function fixturesOf(protocol: string): Map<string, string> {
  const folder = new URL(`./fixtures/${protocol}/`, import.meta.url);
  return new Map(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
  );
}

/** An answer in the form of `Answer.calls`. */
function callsOf(answer: Collected): unknown[] {
  return answer.calls.map((call) => {
    const rest = {
      ...(call.status === "complete" ? {} : { status: call.status }),
      ...(call.kind === "function" ? {} : { kind: call.kind }),
      ...(call.choice === 0 ? {} : { choice: call.choice }),
    };
    return [
      call.madeId === true ? null : call.id,
      call.name,
      call.argumentsText,
      ...(Object.keys(rest).length === 0 ? [] : [rest]),
    ];
  });
}

/** Runs the whole suite for one protocol. */
export function protocolSuite(protocol: Protocol, answers: Readonly<Record<string, Answer>>): void {
  const bodies = fixturesOf(protocol.name);

  test("every fixture has an answer, and every answer a fixture", () => {
    expect(Object.keys(answers).toSorted()).toEqual([...bodies.keys()]);
  });

  describe.each(Object.entries(answers))("%s", (name, answer) => {
    const body = bodies.get(name) ?? "";
    const bytes = bytesOf(body);
    const whole = eventsOf(protocol, [bytes], answer.options);
    const isSse = /^(?:event|data|:|id|retry)/.test(body);

    test("gives the right answer", () => {
      compare(collected(whole), answer);
    });

    test("keeps the invariants", () => {
      expect(brokenInvariants(whole, bytes.length)).toEqual([]);
    });

    test("gives the same events however the bytes are cut", () => {
      expect(eventsOf(protocol, inPieces(bytes, 1), answer.options)).toEqual(whole);
      expect(eventsOf(protocol, inPieces(bytes, 7), answer.options)).toEqual(whole);
      for (let seed = 1; seed <= 8; seed++) {
        expect(eventsOf(protocol, inRandomPieces(bytes, seed), answer.options), `seed ${seed}`).toEqual(whole);
      }
    });

    test("reads strings like bytes, cut inside surrogate pairs too", () => {
      expect(eventsOf(protocol, body.match(/[^]/g) ?? [], answer.options)).toEqual(whole);
    });

    test("gives nothing more after the end", () => {
      expect(eventsOf(protocol, [bytes, bytes.subarray(0, 0)], answer.options)).toEqual(whole);
    });

    test("may be cut off at every byte", () => {
      const step = Math.ceil(bytes.length / MOST_CUTS);
      for (let length = 0; length < bytes.length; length += step) {
        sound(protocol, bytes.subarray(0, length), answer.options, `cut at byte ${length}`);
      }
    });

    if (!isSse) return;
    const frames = framesOf(body);

    test("does not mind the line ends, a byte order mark, comments, or unknown fields", () => {
      const meaning = meaningOf(whole);
      const variants = {
        CRLF: body.replaceAll("\n", "\r\n"),
        CR: body.replaceAll("\n", "\r"),
        BOM: `\uFEFF${body}`,
        comments: frames.map((frame) => `: keep-alive\n\n${frame}`).join(""),
        "comments inside": frames.map((frame) => `: PROCESSING\n${frame}`).join(""),
        fields: frames.map((frame) => `id: 7\nretry: 3000\nfoo: bar\nbaz\n${frame}`).join(""),
        "blank lines": frames.join("\n\n\n"),
        "no space": body.replaceAll(/^(data|event): /gm, "$1:"),
      };
      for (const [what, text] of Object.entries(variants)) {
        expect(meaningOf(eventsOf(protocol, [bytesOf(text)], answer.options)), what).toEqual(meaning);
        expect(
          meaningOf(eventsOf(protocol, inPieces(bytesOf(text), 1), answer.options)),
          `${what}, byte by byte`,
        ).toEqual(meaning);
      }
    });

    test("may be cut off at every frame, and may lose, double or swap any", () => {
      for (const [at, frame] of frames.entries()) {
        sound(protocol, frames.slice(0, at).join(""), answer.options, `ends before frame ${at}`);
        sound(protocol, frames.toSpliced(at, 1).join(""), answer.options, `lacks frame ${at}`);
        sound(protocol, frames.toSpliced(at, 0, frame).join(""), answer.options, `has frame ${at} twice`);
        sound(
          protocol,
          frames.toSpliced(at, 2, frames[at + 1] ?? "", frame).join(""),
          answer.options,
          `has frames ${at} and ${at + 1} swapped`,
        );
      }
    });

    test("may come in any order, and in any selection", () => {
      for (let seed = 1; seed <= 40; seed++) {
        sound(protocol, shuffled(frames, seed).join(""), answer.options, `shuffled, seed ${seed}`);
        const next = random(seed);
        const some = Array.from({ length: frames.length * 2 }, () => frames[Math.floor(next() * frames.length)] ?? "");
        sound(protocol, some.join(""), answer.options, `drawn, seed ${seed}`);
      }
    });

    test("a body that is read twice over ends with its first terminal signal", () => {
      sound(protocol, body + body, answer.options, "twice");
    });
  });
}

/** Reads a disturbed body: nothing throws, and the invariants hold. */
function sound(protocol: Protocol, body: string | Uint8Array, options: ReaderOptions | undefined, how: string): void {
  const bytes = bytesOf(body);
  let events: StreamEvent[];
  try {
    events = eventsOf(protocol, [bytes], options);
  } catch (error) {
    throw new Error(`threw when the body ${how}`, { cause: error });
  }
  const broken = brokenInvariants(events, bytes.length);
  if (broken.length > 0) expect.fail(`when the body ${how}:\n${broken.join("\n")}`);
}

/** Compares an answer with the right one. */
function compare(got: Collected, answer: Answer): void {
  const calls = answer.calls.map(([id, name, text, rest]) => {
    const { echo: _, ...plain } = rest ?? {};
    return [id, name, text === "*" ? expect.any(String) : text, ...(Object.keys(plain).length === 0 ? [] : [plain])];
  });
  expect(callsOf(got)).toEqual(calls);
  for (const [at, [, , , rest]] of answer.calls.entries()) {
    if (rest?.echo !== undefined) expect(got.calls[at]?.echo).toMatchObject(rest.echo);
  }
  expect(got.finish).toBe(answer.finish);
  if (answer.raw !== undefined) expect(got.rawFinish).toBe(answer.raw);
  if (answer.text !== undefined) expect(got.text).toBe(answer.text);
  if (answer.reasoning !== undefined) expect(got.reasoning).toBe(answer.reasoning);
  if (answer.refusal !== undefined) expect(got.refusal).toBe(answer.refusal);
  if (answer.error === undefined) expect(got.error).toBeNull();
  else expect(got.error?.code).toBe(answer.error);
  if (answer.outputTokens !== undefined) expect(got.usage?.outputTokens).toBe(answer.outputTokens);
  const said = [...new Set(got.notices.map((notice) => notice.code))];
  if (answer.notices === undefined) expect(said).toEqual([]);
  expect(said).toEqual(expect.arrayContaining([...(answer.notices ?? [])]));
  expect(said.filter((code) => REPAIRS.has(code) && answer.notices?.includes(code) !== true)).toEqual([]);
  if (answer.dropped !== undefined) expect(got.dropped.map((each) => each.reason)).toEqual(answer.dropped);
}
