import type { StreamEvent } from "unbraid";
import { describe, expect, it } from "vitest";
import { InputFailure } from "../failure.ts";
import { callDelta, chatBody } from "../io.test-kit.ts";
import { readChunks, type ReadOutcome } from "./drive.ts";

const SETTINGS = { protocol: undefined, tools: undefined, limits: {}, chunkSize: undefined };

/** Ends with its finish word, without the end marker. */
const unended = chatBody([callDelta(0, "{}", "a", "f")]).replace("data: [DONE]\n\n", "");

async function read(
  input: AsyncIterable<Uint8Array>,
  settle?: number,
): Promise<{ outcome: ReadOutcome; events: StreamEvent[] }> {
  const events: StreamEvent[] = [];
  const taker = { events: (list: readonly StreamEvent[]) => void events.push(...list) };
  return { outcome: await readChunks(input, new AbortController().signal, SETTINGS, taker, settle), events };
}

async function* hanging(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
  await new Promise(() => {});
}

async function* failing(text: string): AsyncGenerator<Uint8Array> {
  if (text !== "") yield new TextEncoder().encode(text);
  throw new InputFailure("EIO", "the disk is gone", undefined);
}

describe("readChunks", () => {
  it("does not wait for ever where a server keeps its connection open after the finish", async () => {
    const { outcome, events } = await read(hanging(unended), 10);
    expect(outcome).toMatchObject({ protocol: "openai-chat", failure: undefined, interrupted: false });
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool_calls" });
  });

  it("keeps what was read before the input failed", async () => {
    const { outcome, events } = await read(failing(chatBody([callDelta(0, '{"a"', "a", "f")], null)));
    expect(outcome).toMatchObject({ protocol: "openai-chat", failure: { code: "EIO" } });
    expect(events.find(({ type }) => type === "call.close")).toMatchObject({
      call: { status: "truncated", argumentsText: '{"a"' },
    });
    expect(events.find(({ type }) => type === "error")).toMatchObject({ error: { message: "the disk is gone" } });
  });

  it("names no wire where nothing could be read", async () => {
    expect((await read(failing(""))).outcome.protocol).toBeNull();
  });
});
