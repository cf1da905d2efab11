// Any request, written for each vendor and read again: what the model in the middle knows comes back, but for what each
// vendor is known to lack. Owns that list.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { ToolCall } from "../events.ts";
import type { AnswerItem } from "../turns/answer.ts";
import type { ContentPart } from "../turns/content.ts";
import type { CallResult } from "../turns/turn-form.ts";
import { originalIdentifier } from "../encode/identifiers.ts";
import { CallBook } from "./call-book.ts";
import { EFFORTS } from "./shared-fields.ts";
import { type NeutralRequest, type NeutralTurn, type RequestWire, TEXT_INPUT } from "./neutral-request.ts";
import { WIRES } from "./requests.test-kit.ts";
import { readRequest, writeRequest } from "./translate.ts";

const words = fc
  .oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom("é東😀", "a\nb"))
  .filter((text) => text.trim() !== "");
const identifier = fc
  .oneof(
    fc.constantFrom("call_1", "functions.f:0", "ub_a_2eb", "a b", "7up"),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  .filter((id) => id.trim() !== "");
const base64 = fc.constantFrom("AAAA", "iVBORw0KGgo=");
const part: fc.Arbitrary<ContentPart> = fc.oneof(
  words.map((text): ContentPart => ({ type: "text", text })),
  base64.map((data): ContentPart => ({ type: "image", mediaType: "image/png", data })),
  base64.map((data): ContentPart => ({ type: "file", mediaType: "application/pdf", data, name: "a.pdf" })),
);
const json = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));
const sent = fc.record({
  id: identifier,
  name: fc.constantFrom("get_weather", "my.tool", "7up", "a b"),
  kind: fc.constantFrom<"function" | "custom">("function", "function", "function", "custom"),
  text: fc.oneof({ weight: 4, arbitrary: json }, { weight: 1, arbitrary: fc.constantFrom("{a:", "[1]", "x") }),
  result: words,
  isError: fc.boolean(),
});
const step = fc.record({
  user: fc.array(part, { minLength: 1, maxLength: 3 }),
  said: fc.option(words, { nil: undefined }),
  calls: fc.uniqueArray(sent, { maxLength: 3, selector: ({ id }) => id }),
});

const settings = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1),
    topP: fc.constantFrom(0.5),
    maxTokens: fc.integer({ min: 16, max: 1000 }),
    stop: fc.uniqueArray(words, { minLength: 1, maxLength: 3 }),
    seed: fc.nat(9),
    user: fc.constantFrom("u1"),
    parallelCalls: fc.boolean(),
    toolChoice: fc.constantFrom<NonNullable<NeutralRequest["toolChoice"]>>(
      { mode: "auto" },
      { mode: "none" },
      { mode: "required" },
      { mode: "required", names: ["get_weather"] },
    ),
    format: fc.constantFrom<NonNullable<NeutralRequest["format"]>>({
      type: "schema",
      name: "answer",
      schema: { type: "object", properties: {} },
    }),
    reasoning: fc.constantFrom(...EFFORTS).map((effort) => ({ effort })),
  },
  { requiredKeys: [] },
);

const request: fc.Arbitrary<NeutralRequest> = fc
  .record({
    system: fc.array(words, { maxLength: 2 }),
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    last: words,
    stream: fc.boolean(),
    settings,
  })
  .map(({ system, steps, last, stream, settings: more }) => ({
    model: "model-1",
    stream,
    system,
    turns: [...turnsOf(steps), { role: "user", content: [{ type: "text", text: last }], path: "" }],
    tools: [
      {
        name: "get_weather",
        description: "Weather",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        strict: true,
      },
      { name: "my.tool", parameters: TEXT_INPUT, custom: { type: "text" } },
    ],
    ...more,
  }));

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function turnsOf(steps: readonly Step[]): NeutralTurn[] {
  const book = new CallBook();
  return steps.flatMap(({ user, said, calls }): NeutralTurn[] => {
    const added = calls.map((one) => ({ call: book.add(plainId(one)), one }));
    const items: AnswerItem[] = [
      ...(said === undefined ? [] : [{ type: "text" as const, text: said }]),
      ...added.map(({ call }) => ({ type: "call" as const, call })),
    ];
    const results = added.map(({ call, one }): CallResult => ({
      call,
      content: [{ type: "text", text: one.result }],
      ...(one.isError ? { isError: true } : {}),
    }));
    return [
      { role: "user", content: user, path: "" },
      ...(items.length === 0 ? [] : [{ role: "assistant" as const, items, path: "" }]),
      ...(results.length === 0 ? [] : [{ role: "results" as const, results, path: "" }]),
    ];
  });
}

/** What a client would send of an id that looks like one of ours is what ours stands for. */
function plainId<T extends { readonly id: string }>(one: T): T {
  return one.id.startsWith("ub_") ? { ...one, id: "plain" } : one;
}

/** What each vendor has no word for. */
const LACKS: Readonly<Record<RequestWire, readonly (keyof NeutralRequest)[]>> = {
  "openai-chat": [],
  "openai-responses": ["stop", "seed"],
  anthropic: ["seed"],
  gemini: ["user", "parallelCalls"],
};
const OPENAI: ReadonlySet<RequestWire> = new Set<RequestWire>(["openai-chat", "openai-responses"]);

/** A request as it can be compared. `read`: it came back from the vendor. */
function comparable(given: NeutralRequest, wire: RequestWire): unknown {
  const openai = OPENAI.has(wire);
  const fields: Partial<Record<keyof NeutralRequest, unknown>> = { ...given };
  for (const name of LACKS[wire]) delete fields[name];
  // Chat alone says it, and is always asked.
  delete fields.includeUsage;
  // Anthropic's measure of reasoning is another one, and takes sampling and limits along.
  if (wire === "anthropic")
    for (const name of ["reasoning", "temperature", "topP", "maxTokens"] as const) delete fields[name];
  if (wire === "anthropic" && given.toolChoice?.mode === "none") delete fields.parallelCalls;
  if (wire === "anthropic" && given.toolChoice === undefined && given.parallelCalls !== undefined)
    fields.toolChoice = { mode: "auto" };
  if (wire === "gemini") delete fields.reasoning;
  if (given.format?.type === "schema" && !openai) fields.format = { type: "schema", schema: given.format.schema };
  return JSON.parse(
    JSON.stringify({
      ...fields,
      system: wire === "openai-responses" ? [given.system.join("\n\n")].filter((text) => text !== "") : given.system,
      // A name that a vendor does not allow is declared otherwise, and called so.
      tools: given.tools.map(({ strict, custom, name, ...tool }) => ({
        ...tool,
        name: originalIdentifier(name),
        ...(openai ? { custom } : {}),
        ...(wire === "gemini" ? {} : { strict: strict === true }),
      })),
      turns: given.turns.map((turn) => turnOf(turn, wire)),
    }),
  );
}

function turnOf(turn: NeutralTurn, wire: RequestWire): unknown {
  const openai = OPENAI.has(wire);
  switch (turn.role) {
    case "assistant":
      return {
        role: turn.role,
        items: turn.items.map((item) =>
          item.type === "call" ? { type: item.type, ...callOf(item.call, openai) } : item,
        ),
      };
    case "results":
      return {
        role: turn.role,
        results: turn.results.map(({ call, content, isError }) => ({
          call: callOf(call, openai).id,
          content: openai ? flagged(content, isError) : content,
          ...(openai ? {} : { isError }),
        })),
      };
    case "user":
      return { role: turn.role, content: turn.content.map((one) => nameless(one, wire)) };
    default:
      return turn;
  }
}

function callOf(
  { id, name, kind, argumentsText, arguments: value, status }: ToolCall,
  openai: boolean,
): { readonly id: string } {
  if (kind === "custom" && !openai)
    return { id, name, kind: "function", value: { input: argumentsText }, status } as { readonly id: string };
  return { id, name, kind, value: value ?? argumentsText, status } as { readonly id: string };
}

/** OpenAI's results have no flag: the text says that it is an error. */
function flagged(content: readonly ContentPart[], isError: true | undefined): unknown {
  const [first] = content;
  return isError === true && first?.type === "text" && !/^\W*error\b/i.test(first.text)
    ? [{ type: "text", text: `Error: ${first.text}` }]
    : content;
}

/** Gemini's files have no names. */
function nameless(one: ContentPart, wire: RequestWire): ContentPart {
  if (wire !== "gemini" || one.type !== "file") return one;
  const { name: _, ...rest } = one;
  return rest;
}

describe.each(WIRES)("%s", (wire) => {
  property.prop([request], { numRuns: 300 })("keeps what the model in the middle knows", (given) => {
    const { body } = writeRequest(wire, given);
    const { request: back } = readRequest(wire, JSON.parse(JSON.stringify(body)), {
      model: "model-1",
      stream: given.stream,
    });
    expect(comparable(back, wire)).toEqual(comparable(given, wire));
  });
});
