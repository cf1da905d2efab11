import { createParser } from "eventsource-parser";
import { describe, expect, it, test } from "vitest";
import type { Collected, ProtocolName } from "unbraid";
import { composed, cut, essence, fixtures, framingOf, mended, readAll, tools } from "./mend.test-kit.ts";
import { mendStream } from "./mend-stream.ts";

const bodies = [...composed(), ...fixtures()];

/** What a stream may still show when it was mended: nothing of it is the wire's fault. */
const LEFT = new Set([
  "malformed-arguments",
  "lone-surrogate",
  "unknown-tool",
  "unknown-frame",
  "missing-required-arguments",
  "provider-malformed-call",
  "fallback",
  // Ids are optional there.
  "id-missing",
  // A finish word that comes before the last call.
  "data-after-finish",
  "name-normalised",
  // A client that asked for partial arguments gets them as they are.
  "missing-close",
  "final-disagrees",
  "orphan-fragment",
]);

/** Bodies that take back what they had streamed: a client that was sent it can only be told. Holding calls helps. */
const CONTRADICTED = [
  "V014.openai-chat.sse",
  "V015.openai-chat.sse",
  "V016.openai-chat.sse",
  "V042.anthropic.sse",
  "another-message.sse",
];

/** Ends that no mending makes good: the client is told. */
function isTold({ error }: Collected): boolean {
  return error !== null;
}

/**
 * A call that was taken back after it had been sent stays as one that nobody can run; one that is malformed reaches clients
 * that parse while they read as an object that holds its text.
 */
function readable(from: Collected): Collected {
  const calls = from.calls
    .filter(({ argumentsText }) => !/<taken back: [a-z-]+>$/.test(argumentsText))
    .map((call) => {
      const text = call.arguments?.["invalid_arguments"];
      return typeof text === "string"
        ? { ...call, status: "malformed" as const, arguments: null, argumentsText: text }
        : call;
    });
  return { ...from, calls };
}

describe.each(bodies)("$name ($protocol)", (body) => {
  const before = readAll(body.protocol, body.bytes, tools);
  const { bytes, same } = mended(body);
  const after = readAll(body.protocol, bytes);

  test("says to a client what is true, or says that it failed", () => {
    const contradicted = after.error?.code === "contradicted-stream" || /took back/.test(after.error?.message ?? "");
    expect(contradicted).toBe(CONTRADICTED.includes(body.name));
    if (before.finish === null || contradicted) {
      expect(isTold(after)).toBe(true);
    } else if (before.notices.some(({ code }) => code === "id-changed")) {
      // The call had been sent under the id that it began with.
      expect(after.calls.map(({ name, arguments: value }) => [name, value])).toEqual(
        before.calls.map(({ name, arguments: value }) => [name, value]),
      );
    } else if (before.finish === "error" || before.finish === "cancelled") {
      expect(isTold(after) || after.rawFinish === before.rawFinish).toBe(true);
    } else {
      expect(essence(readable(after)).said).toEqual(essence(before).said);
      // The vendor's ids reach the client as they are; where there was none, any is right.
      for (const [at, id] of essence(before).ids.entries())
        if (id !== "") expect(essence(readable(after)).ids[at]).toBe(id);
      expect(after.error === null).toBe(before.error === null);
    }
  });

  test("leaves nothing of what was wrong with the wire", () => {
    if (isTold(after)) return;
    const left = after.notices.map(({ code }) => code).filter((code) => !LEFT.has(code));
    expect(left).toEqual([]);
  });

  test("comes out the same however it is cut", () => {
    // A comment before a frame that is written anew passes when it came before the frame did.
    const plain = (text: Buffer): string => text.toString().replaceAll(/^:.*\n\n?/gm, "");
    for (const size of [1, 17, 100_000]) expect(plain(mended(body, {}, size).bytes)).toBe(plain(bytes));
  });

  test("is mended once and for all", () => {
    const again = mended({ ...body, bytes });
    expect(again.bytes.toString()).toBe(bytes.toString());
  });

  test("is framed as the standard says", () => {
    if (same || framingOf(body) !== "sse") return;
    const seen: string[] = [];
    createParser({ onEvent: ({ data }) => seen.push(data) }).feed(bytes.toString());
    for (const data of seen) if (data !== "[DONE]") expect(() => JSON.parse(data) as unknown).not.toThrow();
    expect(seen.length).toBeGreaterThan(0);
  });

  test("with held calls: whole ones, the same ones", () => {
    const held = mended(body, { hold: true });
    const seen = readAll(body.protocol, held.bytes);
    const whole = (from: Collected): unknown[] =>
      from.calls
        .filter(({ status, kind }) => status === "complete" && (kind === "function" || kind === "custom"))
        .filter(({ arguments: value }) => value?.["invalid_arguments"] === undefined)
        .map(({ name, arguments: value }) => JSON.stringify([name, value]))
        .toSorted();
    // A call that the wire took back after it was whole cannot be unsent.
    if (isTold(seen) && !isTold(before) && before.finish !== null) expect(whole(seen)).not.toHaveLength(0);
    else expect(whole(seen)).toEqual(whole(before));
  });
});

test("sound bodies pass byte for byte", () => {
  const sound = bodies.filter((body) => {
    const { notices, finish } = readAll(body.protocol, body.bytes, tools);
    return notices.every(({ code }) => code === "unknown-tool") && finish !== null;
  });
  const written = sound.filter((body) => !mended(body).same).map(({ name }) => name);
  // Most bodies that no notice is said of: the rest are sound to us and not to a strict client.
  expect(sound.length).toBeGreaterThan(60);
  expect(written.length).toBeLessThan(sound.length / 2);
});

/** A chat stream of our own with fields that nobody knows at every level. */
function chatFrames(fault: (entry: Record<string, unknown>, at: number) => Record<string, unknown>): string[] {
  const chunk = (delta: object, finish: string | null, at: number): object => ({
    id: "chatcmpl-x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    service_tier: "flex",
    x_chunk: at,
    choices: [
      {
        index: 0,
        x_choice: at,
        delta: { ...delta, x_delta: at },
        logprobs: { content: [{ token: `t${at}` }] },
        finish_reason: finish,
      },
    ],
  });
  const call = (entry: object, at: number): object => ({ tool_calls: [fault(entry as never, at)] });
  return [
    chunk({ role: "assistant", content: "Let me " }, null, 0),
    chunk({ content: "look.", annotations: [{ url: "u" }] }, null, 1),
    chunk(call({ index: 0, id: "c1", type: "function", function: { name: "f", arguments: "" } }, 2), null, 2),
    chunk(call({ index: 0, function: { arguments: '{"a":' } }, 3), null, 3),
    chunk(call({ index: 0, function: { arguments: "1}" } }, 4), null, 4),
    chunk({}, "tool_calls", 5),
    {
      id: "chatcmpl-x",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [],
      usage: { total_tokens: 3 },
    },
  ].map((each) => `data: ${JSON.stringify(each)}\n\n`);
}

describe("what nobody knows", () => {
  it("survives where frames are written anew", () => {
    // Every fragment says index 7: all frames with calls have to be written anew.
    const bytes = Buffer.from([...chatFrames((entry) => ({ ...entry, index: 7 })), "data: [DONE]\n\n"].join(""));
    const out = mended({ name: "", protocol: "openai-chat", bytes }).bytes.toString();
    for (let at = 0; at < 6; at++) {
      expect(out).toContain(`"x_chunk":${at}`);
      expect(out).toContain(`"x_choice":${at}`);
      expect(out).toContain(`"token":"t${at}"`);
    }
    expect(out).toContain('"annotations":[{"url":"u"}]');
    expect(out).toContain('"service_tier":"flex"');
    expect(out).toContain('"total_tokens":3');
    expect(out).not.toContain('"index":7');
  });

  it("keeps a signature beside the call that it is of", () => {
    const signed = chatFrames((entry, at) =>
      at === 2 ? { ...entry, index: 7, extra_content: { google: { thought_signature: "s" } } } : { ...entry, index: 7 },
    );
    const out = mended({ name: "", protocol: "openai-chat", bytes: Buffer.from(signed.join("")) }).bytes.toString();
    expect(out).toContain('"extra_content":{"google":{"thought_signature":"s"}},"index":0,"id":"c1"');
  });

  it("leaves frames alone that are right, though others are not", () => {
    const frames = chatFrames((entry) => ({ ...entry, index: 7 }));
    const out = mended({ name: "", protocol: "openai-chat", bytes: Buffer.from(frames.join("")) }).bytes.toString();
    expect(out.startsWith(frames[0]! + frames[1]!)).toBe(true);
  });
});

describe("as it comes", () => {
  function flow(protocol: ProtocolName, frames: readonly string[], options = {}): number[] {
    const mender = mendStream(protocol, { reader: { tools: [{ name: "f" }] }, ...options });
    return frames.map((frame) => Buffer.concat([...mender.push(Buffer.from(frame))]).length);
  }

  it("passes each frame at once", () => {
    const frames = chatFrames((entry) => entry);
    const sizes = flow("openai-chat", frames);
    expect(sizes.slice(0, 5)).toEqual(frames.slice(0, 5).map((frame) => Buffer.byteLength(frame)));
  });

  it("passes each fragment at once where it is written anew", () => {
    const sizes = flow(
      "openai-chat",
      chatFrames((entry) => ({ ...entry, index: 7 })),
    );
    expect(sizes.slice(0, 5).every((size) => size > 0)).toBe(true);
  });

  it("holds a call until it is whole, and not what comes before it", () => {
    const frames = chatFrames((entry) => entry);
    const sizes = flow("openai-chat", [...frames, "data: [DONE]\n\n"], { hold: true });
    expect(sizes.slice(0, 2).every((size) => size > 0)).toBe(true);
    expect(sizes.slice(2, 7)).toEqual([0, 0, 0, 0, 0]);
    expect(sizes[7]).toBeGreaterThan(0);
  });

  it("passes comments at once", () => {
    const mender = mendStream("openai-chat");
    expect(Buffer.concat([...mender.push(Buffer.from(": OPENROUTER PROCESSING\n\n"))]).toString()).toBe(
      ": OPENROUTER PROCESSING\n\n",
    );
  });

  it("keeps no more than its bound waiting", () => {
    // `{}` may be the beginning of something else until the response is over; what comes behind it must not wait for that.
    const call = (index: number, id: string, args: string): string =>
      `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta: { tool_calls: [{ index, id, type: "function", function: { name: "f", arguments: args } }] }, finish_reason: null }] })}\n\n`;
    const text = (at: number): string =>
      `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta: { content: `${at} ` }, finish_reason: null }] })}\n\n`;
    const mender = mendStream("openai-chat", { reader: { tools: [{ name: "f" }] } });
    const sizes = [call(0, "c", "{}"), ...Array.from({ length: 100 }, (_, at) => text(at))].map(
      (frame) => Buffer.concat([...mender.push(Buffer.from(frame))]).length,
    );
    expect(sizes.findLastIndex((size) => size === 0)).toBeLessThan(40);
  });
});

describe("malformed calls", () => {
  const broken = chatFrames((entry, at) => (at === 4 ? { ...entry, function: { arguments: "1" } } : entry));
  const bytes = Buffer.from([...broken, "data: [DONE]\n\n"].join(""));

  it("reach the client as they are, to be answered", () => {
    const out = readAll("openai-chat", mended({ name: "", protocol: "openai-chat", bytes }).bytes);
    expect(out.calls).toMatchObject([{ id: "c1", argumentsText: '{"a":1', status: "truncated" }]);
    expect(out.finish).toBe("tool_calls");
  });

  it("are put right where that is wanted and there is one reading", () => {
    const text = Buffer.from(bytes.toString().replace('"1"', '"1,}"'));
    const plain = readAll("openai-chat", mended({ name: "", protocol: "openai-chat", bytes: text }).bytes);
    expect(plain.calls).toMatchObject([{ status: "malformed" }]);
    const right = mended({ name: "", protocol: "openai-chat", bytes: text }, { repair: true }).bytes;
    expect(readAll("openai-chat", right).calls).toMatchObject([{ id: "c1", arguments: { a: 1 }, status: "complete" }]);
  });
});

describe("a body that breaks off", () => {
  it.each([
    ["openai-chat", /"error":\{/],
    ["openai-responses", /event: error\ndata: \{"type":"error"/],
    ["anthropic", /event: error\ndata: \{"type":"error","error":\{"type":"api_error"/],
    ["gemini", /"error":\{"code":502/],
    ["ollama", /^\{"error":/m],
  ] as const)("%s: is told in the client's words", (protocol, words) => {
    const body = fixtures().find((each) => each.protocol === protocol) ?? {
      name: "",
      protocol,
      bytes: Buffer.from('{"model":"m","message":{"role":"assistant","content":"a"},"done":false}\n'),
    };
    const mender = mendStream(protocol);
    const first = body.bytes.subarray(0, Math.floor(body.bytes.length / 2));
    const out = [...mender.push(first), ...mender.fail(new Error("reset"))];
    const text = Buffer.concat(out).toString();
    expect(text).toMatch(words);
    expect(text).toContain("reset");
    expect([...cut(first, 3)].length).toBeGreaterThan(0);
  });
});
