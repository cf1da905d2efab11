// Requests that are wrong: what is wrong is said with its place, and nothing else ever comes out than a request or that error.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { RequestWire } from "./neutral-request.ts";
import { isRequestError, RequestError } from "./request-error.ts";
import { DIRECTIONS, REQUESTS, WIRES } from "./requests.test-kit.ts";
import { readRequest, translateRequest, writeRequest } from "./translate.ts";

const user = { role: "user", content: "Hi" };
const calls = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
};
const deep = (levels: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};

const WRONG: readonly (readonly [RequestWire, unknown, string])[] = [
  ["openai-chat", null, "The request must be an object, got null."],
  ["openai-chat", [], "The request must be an object, got a list."],
  ["openai-chat", "x", "The request must be an object, got a string."],
  ["openai-chat", {}, "messages is missing."],
  ["openai-chat", { messages: {} }, "messages must be a list, got an object."],
  ["openai-chat", { messages: [1] }, "messages[0] must be an object, got a number."],
  ["openai-chat", { messages: [{ content: "Hi" }] }, "messages[0].role is missing."],
  [
    "openai-chat",
    { messages: [{ role: "robot" }] },
    'messages[0].role is "robot", which is no role of this vendor\'s.',
  ],
  [
    "openai-chat",
    { messages: [{ role: "user", content: 7 }] },
    "messages[0].content must be a string or a list, got a number.",
  ],
  [
    "openai-chat",
    { messages: [{ role: "user", content: [{ type: "image_url" }] }] },
    "messages[0].content[0].image_url is missing.",
  ],
  [
    "openai-chat",
    { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }] },
    "messages[0].content[0].file names a file that only its own vendor holds: send its bytes.",
  ],
  [
    "openai-chat",
    { messages: [user, { role: "tool", tool_call_id: "x", content: "" }] },
    'messages[1].tool_call_id answers the call "x", which the history does not hold.',
  ],
  [
    "openai-chat",
    {
      messages: [
        calls,
        { role: "tool", tool_call_id: "c", content: "" },
        { role: "tool", tool_call_id: "c", content: "" },
      ],
    },
    'messages[2].tool_call_id answers the call "c" a second time.',
  ],
  ["openai-chat", { messages: [user], temperature: "hot" }, "temperature must be a number, got a string."],
  ["openai-chat", { messages: [user], tools: [{ type: "function" }] }, "tools[0].function is missing."],
  ["openai-chat", { messages: [user], tools: [{ function: { name: "" } }] }, "tools[0] has an empty name."],
  [
    "openai-chat",
    { messages: [user], tools: [{ function: { name: "f" } }, { function: { name: "f" } }] },
    'tools[1] has the name "f", which another tool has.',
  ],
  ["openai-chat", { messages: [user], tool_choice: "maybe" }, 'tool_choice is "maybe", which is no tool choice.'],
  [
    "openai-chat",
    { messages: [user], reasoning_effort: "heroic" },
    'reasoning_effort is "heroic", which is no effort.',
  ],
  ["openai-chat", { messages: [user], stop: [1] }, "stop[0] must be a string, got a number."],
  ["openai-chat", { messages: [user], metadata: deep(2000) }, "The request is nested too deep."],
  ["openai-responses", {}, "input is missing."],
  [
    "openai-responses",
    { input: "Hi", previous_response_id: "r" },
    "previous_response_id names what only its own vendor's server holds: send the whole input.",
  ],
  [
    "openai-responses",
    { input: [{ type: "item_reference", id: "x" }] },
    "input[0] refers to an item that only its own vendor holds: send the item.",
  ],
  [
    "openai-responses",
    { input: [{ type: "function_call_output", call_id: "x", output: "" }] },
    'input[0].call_id answers the call "x", which the history does not hold.',
  ],
  ["anthropic", { messages: "Hi" }, "messages must be a list, got a string."],
  [
    "anthropic",
    { messages: [{ role: "user", content: [{ type: "image", source: { type: "file", file_id: "f" } }] }] },
    "messages[0].content[0].source names a file that only its own vendor holds: send its bytes.",
  ],
  [
    "anthropic",
    { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "x" }] }] },
    'messages[0].content[0].tool_use_id answers the call "x", which the history does not hold.',
  ],
  [
    "anthropic",
    { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: 5 }] }] },
    "messages[0].content[0].input must be an object, got a number.",
  ],
  [
    "anthropic",
    { messages: [user], tool_choice: { type: "some" } },
    'tool_choice.type is "some", which is no tool choice.',
  ],
  ["gemini", {}, "contents is missing."],
  [
    "gemini",
    { contents: [], cachedContent: "c" },
    "cachedContent names what only its own vendor holds: send the whole contents.",
  ],
  [
    "gemini",
    { contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] }] },
    'contents[0].parts[0].functionResponse answers a call of "f", and no such call waits for a result.',
  ],
  ["gemini", { contents: [{ parts: [{ text: 1 }] }] }, "contents[0].parts[0].text must be a string, got a number."],
];

describe("what is wrong is said, with its place", () => {
  test.each(WRONG)("%s %#", (wire, body, message) => {
    let thrown: unknown;
    try {
      readRequest(wire, body);
    } catch (error) {
      thrown = error;
    }
    expect(isRequestError(thrown)).toBe(true);
    expect((thrown as RequestError).message).toBe(message);
    expect(message.startsWith((thrown as RequestError).path)).toBe(true);
  });

  test("a request without a message cannot be asked of vendors that want one", () => {
    const { request } = readRequest("openai-chat", { messages: [{ role: "system", content: "Hi" }] });
    for (const wire of ["anthropic", "gemini"] as const)
      expect(() => writeRequest(wire, request)).toThrow(RequestError);
  });

  test("the guard knows the error, and nothing else", () => {
    expect(isRequestError(new RequestError("malformed", "a", "is wrong"))).toBe(true);
    expect(isRequestError(new Error("a is wrong"))).toBe(false);
    expect(isRequestError(null)).toBe(false);
  });
});

/** What a call gives, or the RequestError that it throws. */
function attempt<T>(call: () => T): T | RequestError {
  try {
    return call();
  } catch (error) {
    if (isRequestError(error)) return error;
    throw error;
  }
}

/** A copy of a value with one thing in it exchanged for another. */
function mutated(value: unknown, at: number, put: unknown): unknown {
  let count = 0;
  const walk = (each: unknown): unknown => {
    if (count++ === at) return put;
    if (Array.isArray(each)) return each.map(walk);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, held]) => [name, walk(held)]));
  };
  return walk(value);
}

const JUNK = [
  null,
  0,
  -1,
  "",
  "x",
  true,
  [],
  {},
  [[]],
  [null],
  { type: "text" },
  { __proto__: null },
  "\ud800",
  1e308,
  { length: 3 },
  JSON.parse('{"__proto__":{"polluted":1}}') as unknown,
];

describe.each(DIRECTIONS)("$from to $to", ({ from, to }) => {
  property.prop([fc.nat(120), fc.constantFrom(...JUNK), fc.nat(120), fc.constantFrom(...JUNK)], { numRuns: 300 })(
    "anything in the place of anything gives a request or says what is wrong",
    (at, put, andAt, andPut) => {
      const body = mutated(mutated(REQUESTS[from], at, put), andAt, andPut);
      const before = JSON.stringify(body);
      const outcome = attempt(() => translateRequest(body, { from, to, model: "m", stream: true }));
      if (isRequestError(outcome)) {
        expect(outcome.message.length).toBeLessThan(400);
      } else {
        expect(outcome.notices.length).toBeLessThanOrEqual(400);
        // What was written is a request of that vendor's.
        readRequest(to, JSON.parse(JSON.stringify(outcome.body)));
      }
      expect(JSON.stringify(body)).toBe(before);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );
});

test("a history of any length costs what it is long", () => {
  const long = (turns: number): unknown => ({
    model: "m",
    messages: Array.from({ length: turns }, (_, at) => [
      user,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${at}`, type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: `c${at}`, content: "1" },
    ]).flat(),
  });
  const time = (turns: number): number => {
    const body = long(turns);
    const start = performance.now();
    translateRequest(body, { from: "openai-chat", to: "anthropic" });
    return performance.now() - start;
  };
  const least = (turns: number): number => Math.min(...Array.from({ length: 4 }, () => time(turns)));
  least(200);
  expect(least(4_000) / least(500)).toBeLessThan(40);
});

test("every vendor's own request is sound", () => {
  for (const wire of WIRES) expect(() => readRequest(wire, REQUESTS[wire])).not.toThrow();
});
