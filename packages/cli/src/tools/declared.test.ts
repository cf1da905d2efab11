import { describe, expect, it } from "vitest";
import { Misuse } from "../failure.ts";
import { declaredTools } from "./declared.ts";

const schema = { type: "object", properties: { city: { type: "string" } } };

describe("declaredTools", () => {
  it.each([
    ["plainly", { name: "w", parameters: schema }],
    ["as for OpenAI's chat", { type: "function", function: { name: "w", description: "…", parameters: schema } }],
    ["as for OpenAI's responses", { type: "function", name: "w", parameters: schema, strict: true }],
    ["as for Anthropic", { name: "w", input_schema: schema }],
    ["as for MCP", { name: "w", inputSchema: schema }],
    ["as for Bedrock", { toolSpec: { name: "w", inputSchema: { json: schema } } }],
    ["as for Gemini", { functionDeclarations: [{ name: "w", parameters: schema }] }],
    ["as for Gemini, with a JSON schema", { function_declarations: [{ name: "w", parametersJsonSchema: schema }] }],
  ])("reads a tool written %s", (_, tool) => {
    expect(declaredTools([tool], "t.json")).toEqual([{ name: "w", parameters: schema }]);
  });

  it.each([
    ["a request", { model: "m", tools: [{ name: "w" }] }],
    ["an old request", { functions: [{ name: "w" }] }],
    ["a Bedrock request", { toolConfig: { tools: [{ toolSpec: { name: "w" } }] } }],
    ["one Gemini entry", { functionDeclarations: [{ name: "w" }] }],
  ])("finds the list in %s", (_, body) => {
    expect(declaredTools(body, "t.json")).toEqual([{ name: "w", parameters: undefined }]);
  });

  it("reads tools that take free text, and vendors' own", () => {
    const tools = [
      { type: "custom", custom: { name: "sql" } },
      { type: "custom", name: "grep" },
      { type: "web_search_20250305", name: "web_search" },
      { type: "shell" },
      { googleSearch: {} },
    ];
    expect(declaredTools(tools, "t.json").map(({ name }) => name)).toEqual([
      "sql",
      "grep",
      "web_search",
      "shell",
      "googleSearch",
    ]);
  });

  it.each([
    ["a text", "tools"],
    ["an object without tools", { model: "m" }],
    ["an entry without a name", [{ name: "a" }, { parameters: {} }]],
    ["an entry whose name is no text", [{ name: 3 }]],
    ["an entry that is no object", [null]],
    ["a function without a name", [{ type: "function", function: {} }]],
  ])("refuses %s, and says where it stood", (_, value) => {
    expect(() => declaredTools(value, "t.json")).toThrow(Misuse);
    expect(() => declaredTools(value, "t.json")).toThrow(/t\.json/);
  });

  it("counts entries from 1", () => {
    expect(() => declaredTools([{ name: "a" }, {}], "t.json")).toThrow(/number 2/);
  });
});
