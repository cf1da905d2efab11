// Options that are wrong are told at once, with what would be right.

import { describe, expect, test } from "vitest";
import { createReader, read, wires } from "./any-wire.ts";
import { collect } from "./collect.ts";
import { openaiChat } from "./entries/openai-chat.ts";
import { liveValues } from "./parts/index.ts";
import type { ReaderOptions } from "./reader.ts";

/** As somebody without types writes them. */
const loose = (options: unknown): ReaderOptions => options as ReaderOptions;

describe("an option", () => {
  test.each<readonly [unknown, string]>([
    [{ fastpath: true }, 'unknown option "fastpath" of a reader; known are tools, limits, rescue'],
    [{ liveValues: true }, 'the option liveValues takes the function liveValues of "unbraid/parts", not true'],
    [{ liveValues: liveValues() }, 'the option liveValues takes the function liveValues of "unbraid/parts"'],
    [{ repair: true }, 'the option repair takes the function repair of "unbraid/parts", not true'],
    [{ rescue: true }, 'the option rescue takes the function rescue of "unbraid/rescue", not true'],
    [{ fastPath: "yes" }, 'the option fastPath takes the function fastPath of "unbraid/parts", not yes'],
    [{ clock: 3 }, "the option clock takes a function, not 3"],
    [{ tools: {} }, "the option tools takes a list, not [object Object]"],
    [{ limits: "1 MB" }, "the option limits takes an object, not 1 MB"],
    [{ __proto__: null, constructor: 1 }, 'unknown option "constructor"'],
    [null, "the options of a reader are an object, not null"],
  ])("%o is refused", (options, words) => {
    expect(() => openaiChat.reader(loose(options))).toThrow(words);
    if (options !== null) expect(() => createReader(loose(options))).toThrow(words);
  });

  test("that a bare wire has not is asked for", () => {
    expect(() => openaiChat.reader({ fastPath: true })).toThrow('the function fastPath of "unbraid/parts", not true');
    expect(() => wires["openai-chat"].reader({ fastPath: true })).not.toThrow();
  });

  test("that is a wire is no options", () => {
    expect(() => createReader(openaiChat)).toThrow('unknown option "name"');
  });

  test("that is undefined is not given: a reader keeps the parts that it has", () => {
    for (const none of [undefined, null]) {
      const names = ["tools", "limits", "rescue", "framing", "clock", "liveValues", "repair", "fastPath"];
      const reader = createReader(loose(Object.fromEntries(names.map((name) => [name, none]))));
      expect(() => reader.partial("call-0")).not.toThrow();
      expect(collectCalls(reader)).toEqual(["malformed"]);
    }
  });
});

const MALFORMED = `data: ${JSON.stringify({
  choices: [
    {
      index: 0,
      delta: { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "{a:1}" } }] },
      finish_reason: "tool_calls",
    },
  ],
})}\n\ndata: [DONE]\n\n`;

function collectCalls(reader: ReturnType<typeof createReader>): string[] {
  return [...reader.push(MALFORMED), ...reader.end()].flatMap((event) =>
    event.type === "call.close" ? [event.call.status] : [],
  );
}

test("a repair of one's own that throws is none: the call closes, and the response ends", async () => {
  const answer = await collect(
    read(MALFORMED, {
      repair: () => {
        throw new Error("mine");
      },
    }),
  );
  expect(answer.calls.map(({ status }) => status)).toEqual(["malformed"]);
  expect(answer.finish).not.toBeNull();
});

test("a follower that is no function is told when it is given", () => {
  expect(() => createReader().follow("f", "$.a", undefined as never)).toThrow("follow takes a function");
});
