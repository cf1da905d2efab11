import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callDelta, chatBody, columnsOfLine, hostileCharacter, run } from "../io.test-kit.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "unbraid-turn-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The document of a body on standard input. */
async function document(body: string, ...flags: readonly string[]): Promise<Record<string, unknown>> {
  const { out } = await run(["turn", "--json", ...flags, "-"], { stdin: [body] });
  return JSON.parse(out) as Record<string, unknown>;
}

function sse(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

const good = callDelta(0, '{"city":"Oslo"}', "a", "weather");
const bad = callDelta(1, '{"city": "Bergen" "x"}', "b", "weather");

describe("unbraid turn --json", () => {
  it("echoes the turn, answers what cannot run, and names what could", async () => {
    const path = file("one.sse", chatBody([good, bad]));
    const { status, out, err } = await run(["turn", "--json", path]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(JSON.parse(out)).toEqual({
      file: path,
      protocol: "openai-chat",
      form: "openai-chat",
      assistant: {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
          {
            id: "b",
            type: "function",
            function: { name: "weather", arguments: '{"invalid_arguments":"{\\"city\\": \\"Bergen\\" \\"x\\"}"}' },
          },
        ],
      },
      results: [{ role: "tool", tool_call_id: "b", content: expect.stringContaining('> {"city": "Bergen" "x"}') }],
      pending: ["a"],
      finish: "tool_calls",
      error: null,
    });
  });

  it("says what would have fitted, in the harness's own words", async () => {
    const parameters = {
      type: "object",
      properties: { unit: { enum: ["C", "F"] }, days: { type: "array", items: { type: "integer" } } },
      required: ["city"],
      additionalProperties: false,
    };
    const tools = file("own-words.json", JSON.stringify([{ name: "weather", parameters }]));
    const body = chatBody([callDelta(0, '{"unit":"K","days":[1,"2"],"x":1}', "a", "weather")]);
    const { results } = (await document(body, "--tools", tools)) as { results: { content: string }[] };
    expect(results[0]?.content).toContain(
      [
        "- city: expected a value, it is required; came nothing",
        "- x: expected nothing, there is no such property",
        '- unit: expected one of ["C","F"]; came "K"',
        '- days[1]: expected integer; came "2"',
      ].join("\n"),
    );
  });

  it("answers every call of a response that broke off", async () => {
    const begin = { type: "message_start", message: { id: "m", content: [] } };
    const use = (index: number, id: string, json: string): object[] => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "f", input: {} } },
      { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } },
    ];
    const stop = { type: "content_block_stop", index: 0 };
    const body = sse(begin, ...use(0, "t1", '{"a":1}'), stop, ...use(1, "t2", '{"a":'));
    const { status, out } = await run(["turn", "--json", "-"], { stdin: [body] });
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      assistant: {
        content: [
          { id: "t1", input: { a: 1 } },
          { id: "t2", input: { invalid_arguments: '{"a":' } },
        ],
      },
      results: {
        role: "user",
        content: [
          { tool_use_id: "t1", is_error: true },
          { tool_use_id: "t2", is_error: true },
        ],
      },
      pending: [],
      finish: null,
    });
  });

  it("has null where a vendor's one message is none, and an empty list where items are", async () => {
    const gemini = sse({
      candidates: [{ content: { parts: [{ functionCall: { name: "f", args: {} } }] }, finishReason: "STOP" }],
    });
    expect(await document(gemini)).toMatchObject({ form: "gemini", assistant: { role: "model" }, results: null });
    expect(await document(chatBody([good]))).toMatchObject({ results: [], pending: ["a"] });
    expect(await document(chatBody([{ role: "assistant" }]))).toMatchObject({ assistant: null, results: [] });
  });

  it("has the turns of a session one behind the other, without the calls that are answered", async () => {
    const call = (id: string): object => ({ toolCall: { functionCalls: [{ id, name: "f", args: {} }] } });
    const answered = { toolResponse: { functionResponses: [{ id: "a", name: "f", response: {} }] } };
    const said = { serverContent: { modelTurn: { parts: [{ text: "Hi" }] }, turnComplete: true } };
    const body = [call("a"), answered, said, call("b")].map((message) => `${JSON.stringify(message)}\n`).join("");
    expect(await document(body)).toMatchObject({
      form: "gemini/live",
      assistant: [
        { clientContent: { turns: [{ parts: [{ text: "Hi" }] }] } },
        { clientContent: { turns: [{ parts: [{ functionCall: { id: "b" } }] }] } },
      ],
      pending: ["b"],
    });
  });

  it("names a question whether the vendor may run a tool", async () => {
    const item = { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "pay", arguments: "{}" };
    const body = sse(
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: "r", status: "completed", output: [item] } },
    );
    expect(await document(body)).toMatchObject({ assistant: [item], results: [], pending: ["mcpr_1"] });
  });

  it("says so of a file that is not there", async () => {
    const { status, out, err } = await run(["turn", "--json", join(folder, "none")]);
    expect(status).toBe(1);
    expect(err).toContain("there is no such file");
    expect(JSON.parse(out)).toMatchObject({
      form: null,
      assistant: null,
      results: [],
      pending: [],
      error: { code: "ENOENT", fatal: true },
    });
  });
});

describe("unbraid turn --tools", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const tools = (): string => file("tools.json", JSON.stringify([{ name: "weather", parameters: schema }]));

  it("answers unknown names and arguments that do not fit", async () => {
    const calls = [
      good,
      callDelta(1, "{}", "b", "wether"),
      callDelta(2, '{"city":3}', "c", "weather"),
      callDelta(3, "{}", "d", "weather"),
    ];
    const { results, pending } = await document(chatBody(calls), "--tools", tools());
    expect(pending).toEqual(["a"]);
    expect(results).toMatchObject([
      { tool_call_id: "b", content: expect.stringContaining('There is no tool "wether"') },
      { tool_call_id: "c", content: expect.stringContaining("- city: expected string") },
      { tool_call_id: "d", content: expect.stringContaining("- city: expected a value, it is required") },
    ]);
  });
});

describe("unbraid turn --repair", () => {
  const body = chatBody([callDelta(0, '{"city":"Oslo",}', "a", "weather")]);

  it("echoes the one reading of a malformed call, and lets it wait for its result", async () => {
    expect(await document(body)).toMatchObject({ pending: [], results: [{ tool_call_id: "a" }] });
    expect(await document(body, "--repair")).toMatchObject({
      assistant: { tool_calls: [{ id: "a", function: { arguments: '{"city":"Oslo"}' } }] },
      pending: ["a"],
      results: [],
    });
  });

  it("does not where the reading does not fit the schema", async () => {
    const schema = { type: "object", properties: { city: { type: "number" } } };
    const tools = file("numbers.json", JSON.stringify([{ name: "weather", parameters: schema }]));
    expect(await document(body, "--repair", "--tools", tools)).toMatchObject({
      pending: [],
      results: [{ tool_call_id: "a" }],
    });
  });
});

describe("unbraid turn, for a person", () => {
  it("shows both messages and what waits", async () => {
    const { status, out } = await run(["turn", file("two.sse", chatBody([good, bad]))], {
      terminal: 60,
      env: { NO_COLOR: "1" },
    });
    expect(status).toBe(0);
    expect(out).toContain("assistant\n  {\n");
    expect(out).toContain('"tool_call_id": "b"');
    expect(out).toMatch(/waits for a result {2}a\n$/);
    for (const line of out.split("\n")) expect(columnsOfLine(line)).toBeLessThanOrEqual(60);
  });

  it("lets nothing of the stream reach the terminal as it stands", async () => {
    const nasty = "\u001b[2J\u202e\u0007\u2028x";
    const { out } = await run(["turn", "-"], {
      stdin: [chatBody([{ content: nasty }, callDelta(0, `{"a":"${nasty}`, `i${nasty}`, `n${nasty}`)])],
      terminal: 80,
    });
    expect(hostileCharacter(out)).toBeUndefined();
    expect(out).toContain("waits for a result");
  });

  it("says that there is nothing, and shows no more lines than a person reads", async () => {
    const { out } = await run(["turn", "-"], {
      stdin: [chatBody([{ role: "assistant" }])],
      terminal: 80,
      env: { NO_COLOR: "1" },
    });
    expect(out).toContain("assistant\n  none\n");
    const many = Array.from({ length: 60 }, (_, at) => callDelta(at, "{}", `i${at}`, "f"));
    expect((await run(["turn", "-"], { stdin: [chatBody(many)], terminal: 80, env: { NO_COLOR: "1" } })).out).toMatch(
      /and \d+ more lines/,
    );
  });
});
