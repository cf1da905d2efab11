// What goes back after each body, composed or recorded: a turn that the vendor takes, every call with one result.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolCall } from "unbraid";
import { pending, turnForms, type Answer, type TurnFormName } from "unbraid/turns";
import { allBodies, hasRecordings, turnsOf } from "./turn-bodies.ts";
import { turnFaults } from "./turn-pairs.ts";

function use(id: string): object {
  return { type: "tool_use", id, name: "f", input: {} };
}

function answer(id: string): object {
  return { type: "tool_result", tool_use_id: id };
}

const bodies = allBodies();
const turns = bodies.flatMap(turnsOf);

if (!hasRecordings) {
  // eslint-disable-next-line no-console -- one loud line, so that nobody takes skipped recordings for passed ones
  console.warn("SKIPPED: no recordings at ../shared/conformance/corpus; turns were built from composed cases only.");
}

test("bodies of every form are there", () => {
  expect(new Set(turns.map(({ form }) => form.name)).size).toBe(16);
  expect(turns.filter(({ given }) => given.length > 1).length).toBeGreaterThan(40);
});

test("every turn pairs each call with one result, in a shape that its vendor takes", () => {
  const wrong = turns.flatMap(({ name, answer: said, form, given }) => {
    const built = { form: form.name, assistant: form.assistant(said), results: form.results(given, said) };
    return turnFaults(built).map((fault) => `${name}: ${fault}`);
  });
  expect(wrong).toEqual([]);
});

test.each<[fault: string, form: TurnFormName, assistant: object, results: object[]]>([
  ["1 calls, 0 results", "anthropic", { content: [use("a")] }, []],
  ["answered by", "anthropic", { content: [use("a")] }, [{ content: [answer("b")] }]],
  ["comes twice", "anthropic", { content: [use("a"), use("a")] }, [{ content: [answer("a"), answer("a")] }]],
  ["2 messages", "anthropic", { content: [use("a")] }, [{ content: [answer("a")] }, { content: [] }]],
  ["no object", "anthropic", { content: [{ ...use("a"), input: "{" }] }, [{ content: [answer("a")] }]],
  ["refused", "anthropic", { content: [{ ...use("a"), name: "a b" }] }, [{ content: [answer("a")] }]],
  ["blank", "anthropic", { content: [{ type: "text", text: " " }, use("a")] }, [{ content: [answer("a")] }]],
  ["thinking", "anthropic", { content: [use("a"), { type: "thinking" }] }, [{ content: [answer("a")] }]],
  ["surrogate", "anthropic", { content: [{ ...use("a"), input: { x: "\ud800" } }] }, [{ content: [answer("a")] }]],
  [
    "no object",
    "openai-chat",
    { tool_calls: [{ id: "a", function: { name: "f", arguments: "{" } }] },
    [{ role: "tool", tool_call_id: "a" }],
  ],
  [
    "answered by",
    "gemini",
    { parts: [{ functionCall: { name: "f", args: {} } }] },
    [{ parts: [{ functionResponse: { name: "g" } }] }],
  ],
  [
    "answered by",
    "openai-responses",
    { type: "shell_call", call_id: "a" },
    [{ type: "function_call_output", call_id: "a" }],
  ],
])("the check of turns sees that: %s (%s)", (fault, form, assistant, results) => {
  expect(turnFaults({ form, assistant: [assistant], results }).join("\n")).toContain(fault);
});

test("results are in the order of the calls, whatever order they are given in", () => {
  for (const { name, answer: said, form, given } of turns) {
    if (given.length < 2) continue;
    const right = form.results(given, said);
    expect(form.results(given.toReversed(), said), name).toEqual(right);
    expect(form.results([...given.slice(1), ...given.slice(0, 1)], said), name).toEqual(right);
  }
});

test("no half of a turn can be built", () => {
  for (const { answer: said, form, given } of turns) {
    const [first] = given;
    if (first === undefined) continue;
    expect(() => form.results(given.slice(1), said)).toThrow(/There is no result for the call/);
    expect(() => form.results([...given, first], said)).toThrow(/two results/);
  }
});

test("an echo is plain JSON, and the same when it is built again", () => {
  for (const { name, answer: said, form, given } of turns) {
    const built = [form.assistant(said), form.results(given, said)];
    expect(JSON.parse(JSON.stringify(built)), name).toEqual(built);
    expect([form.assistant(said), form.results(given, said)], name).toEqual(built);
  }
});

/** Text with halves of surrogate pairs, which `binary` leaves out. */
const hostileText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "{", "}", "😀", "\ud800", "\udc00") }),
);

/** Calls as hostile as a model can write them; ids are unique within a response, as the reader makes sure. */
const hostileCalls = fc
  .array(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 30 }),
      name: fc.oneof(fc.constant("lookup"), fc.string({ unit: "binary", maxLength: 200 })),
      kind: fc.constantFrom("function" as const, "custom" as const),
      status: fc.constantFrom("complete" as const, "truncated" as const, "malformed" as const),
      value: fc.oneof(fc.jsonValue({ stringUnit: "binary" }), hostileText),
      text: hostileText,
      madeId: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((drafts): ToolCall[] =>
    drafts.map(({ id, name, kind, status, value, text, madeId }, index) => {
      const args = { value };
      const complete = status === "complete" && kind === "function";
      return {
        key: `${index}`,
        // What we make has this form; what the vendor gives may be anything.
        id: madeId ? `call_${`${index}`.padStart(16, "0")}` : `${id}${index}`,
        name,
        kind,
        choice: 0,
        index,
        status,
        argumentsText: complete ? JSON.stringify(args) : text,
        arguments: complete ? args : null,
        ...(madeId ? { madeId } : {}),
      };
    }),
  );

test("whatever a model writes, every form pairs and every order of results gives the same", () => {
  fc.assert(
    fc.property(
      hostileCalls,
      fc.constantFrom(...Object.values(turnForms)),
      fc.integer(),
      hostileText,
      (calls, form, seed, text) => {
        const takesText = /^openai-(?:chat|responses)$|live$|^text$|invoke-openai/.test(form.name);
        const said: Answer = {
          protocol: form.protocol,
          response: {},
          items: [
            { type: "text", text },
            // Only OpenAI's wires have calls of free text.
            ...calls.map((call) => ({
              type: "call" as const,
              call: takesText ? call : { ...call, kind: "function" as const },
            })),
          ],
          answered: [],
          finish: "tool_calls",
          rawFinish: null,
          error: null,
        };
        const given = pending(said).map((call) => ({ call, content: [{ type: "text" as const, text }] }));
        const shuffled = given.toSorted((a, b) => Math.sin(seed + a.call.index) - Math.sin(seed + b.call.index));
        const results = form.results(given, said);
        expect(form.results(shuffled, said)).toEqual(results);
        expect(turnFaults({ form: form.name, assistant: form.assistant(said), results })).toEqual([]);
      },
    ),
    { numRuns: 1500 },
  );
});

describe("cases that say what belongs in the next request", () => {
  const turnOf = (name: string) => {
    const turn = turns.find((each) => each.name === name);
    if (turn === undefined) throw new Error(`${name} is not there`);
    return turn;
  };

  test("H158: both calls of a broken response stay, both answered, or neither does", () => {
    const { answer: said, form, given } = turnOf("H158.anthropic.sse");
    const failed = given.map((result) => ({ ...result, isError: true as const }));
    expect(form.results(failed, said)).toMatchObject([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_ab1", is_error: true },
          { type: "tool_result", tool_use_id: "toolu_ab2", is_error: true },
        ],
      },
    ]);
    expect(form.assistant(said)).toMatchObject([{ content: [{ id: "toolu_ab1" }, { id: "toolu_ab2" }] }]);
    expect(form.assistant({ ...said, items: [] })).toEqual([]);
  });

  test("H159: results go back in the order of the calls, in one message", () => {
    const { answer: said, form } = turnOf("H159.gemini.sse");
    const given = said.items.flatMap((item) => (item.type === "call" ? [item.call] : []));
    const results = [given[1], given[2], given[0]].map((call) => ({
      call: call!,
      content: [{ type: "text" as const, text: String(call?.arguments?.["city"]) }],
    }));
    const [message, more] = form.results(results, said) as { parts: { functionResponse: { response: object } }[] }[];
    expect(more).toBeUndefined();
    expect(message?.parts.map(({ functionResponse }) => functionResponse.response)).toEqual([
      { output: "SF" },
      { output: "Tokyo" },
      { output: "Paris" },
    ]);
  });

  test("H160: the input of a bad call is echoed as an object that holds what was sent", () => {
    const { answer: said, form } = turnOf("H160.anthropic.sse");
    expect(form.assistant(said)).toMatchObject([
      {
        content: [
          { id: "toolu_g", input: { p: "a" } },
          { id: "toolu_b", name: "search", input: { invalid_arguments: '{"query": ,}' } },
        ],
      },
    ]);
  });
});
