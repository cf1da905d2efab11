// The spellings of errors inside streams.

import { describe, expect, test } from "vitest";
import { reportBareError, reportError } from "./error-fields.ts";
import type { Sink } from "../assembly/sink.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { answerOf } from "./reading.test-kit.ts";

function reported(report: typeof reportError, frame: Record<string, unknown>): unknown {
  const said: unknown[] = [];
  const sink = { error: (code: unknown, message: unknown) => said.push([code, message]) } as unknown as Sink;
  const was = report(frame, sink);
  expect(was).toBe(said.length > 0);
  return said[0];
}

test.each<[Record<string, unknown>, unknown]>([
  [{ error: { code: "a", message: "m" } }, ["a", "m"]],
  [{ error: { type: "t", message: "m" } }, ["t", "m"]],
  [{ error: { code: 500, message: "m", type: "t" } }, [500, "m"]],
  [{ error: { status: "UNAVAILABLE", message: "m" } }, ["UNAVAILABLE", "m"]],
  [{ error: { message: "", metadata: { raw: "provider's words" } } }, [undefined, "provider's words"]],
  [{ error: "boom" }, [undefined, "boom"]],
  [{ error: "boom", code: 5 }, [5, "boom"]],
  [{ error: "" }, undefined],
  [{ error: null }, undefined],
  [{ error: false }, undefined],
  [{ error: [] }, undefined],
  [{}, undefined],
])("%j", (frame, said) => {
  expect(reported(reportError, frame)).toEqual(said);
});

test.each<[Record<string, unknown>, unknown]>([
  [{ message: "m", code: 1 }, [1, "m"]],
  [{ detail: "m" }, [undefined, "m"]],
  [{ detail: [{ msg: "field required" }] }, [undefined, '[{"msg":"field required"}]']],
  [{ message: "" }, undefined],
  [{ other: 1 }, undefined],
])("bare: %j", (frame, said) => {
  expect(reported(reportBareError, frame)).toEqual(said);
});

describe("every wire", () => {
  test.each([openaiChat, openaiResponses, anthropic, gemini])(
    "$name reports an error whatever its spelling, and never throws",
    (protocol) => {
      for (const error of [
        { message: "m", code: 1 },
        { message: "m", type: "t" },
        "m",
        { message: "m", status: "S" },
      ]) {
        expect(answerOf(protocol, `data: ${JSON.stringify({ error })}\n\n`)).toMatchObject({
          finish: "error",
          error: { message: "m" },
        });
        expect(answerOf(protocol, `event: error\ndata: ${JSON.stringify({ error })}\n\n`)).toMatchObject({
          finish: "error",
          error: { message: "m" },
        });
        expect(answerOf(protocol, JSON.stringify({ error }))).toMatchObject({
          finish: "error",
          error: { message: "m" },
        });
      }
      for (const frame of [
        "null",
        "5",
        '"x"',
        "[]",
        "[null]",
        "{}",
        '{"choices":5}',
        '{"type":5}',
        '{"candidates":[null,5]}',
        '{"type":"content_block_delta"}',
        '{"type":"response.completed"}',
        '{"type":"response.completed","response":5}',
        '{"choices":[{}]}',
        '{"choices":[{"delta":[]}]}',
        '{"candidates":[{"content":{"parts":[5,null,{}]}}]}',
      ]) {
        expect(() => answerOf(protocol, `data: ${frame}\n\n`), frame).not.toThrow();
      }
    },
  );
});
