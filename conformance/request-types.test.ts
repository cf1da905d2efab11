// What the official SDKs' own types say of every request that is translated: the requests are written out as TypeScript and
// checked by the compiler, excess properties and all.

import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { translateRequest, writeRequest, readRequest, type RequestWire } from "unbraid/translate";
import { REQUESTS, WIRES } from "../packages/unbraid/src/translate/requests.test-kit.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
// Inside node_modules, where the SDKs are found and nothing else looks.
const folder = join(root, `node_modules/.cache/unbraid-request-types-${process.pid}`);

afterAll(() => rm(folder, { recursive: true, force: true }));

const PRELUDE = `
import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type * as Gemini from "@google/genai";

type Plain<T> = T extends string ? T | \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
// Models before Claude Opus 4.7, and compatible servers, take what the newest types no longer name.
type Sampling = { temperature?: number; top_p?: number; top_k?: number };
// The REST API spells the SDK's config in parts.
interface GeminiRequest {
  contents: Plain<Gemini.Content>[];
  systemInstruction?: Plain<Gemini.Content>;
  tools?: Plain<Gemini.Tool>[];
  toolConfig?: Plain<Gemini.ToolConfig>;
  generationConfig?: Plain<Gemini.GenerationConfig>;
}
`;

const TYPES: Readonly<Record<RequestWire, string>> = {
  "openai-chat": "OpenAI.ChatCompletionCreateParams",
  "openai-responses": "OpenAI.Responses.ResponseCreateParams",
  anthropic: "Anthropic.MessageCreateParams & Sampling",
  gemini: "GeminiRequest",
};

const TOOLS = [
  {
    type: "function",
    function: { name: "f", description: "d", parameters: { type: "object", properties: {} }, strict: true },
  },
  {
    type: "custom",
    custom: { name: "sql", format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /x/" } } },
  },
  { type: "custom", custom: { name: "free", description: "Any text." } },
];

/** What a request may also ask. */
const MORE: readonly Readonly<Record<string, unknown>>[] = [
  { tools: TOOLS, tool_choice: "required", parallel_tool_calls: false },
  { tools: TOOLS, tool_choice: { type: "function", function: { name: "f" } } },
  { tools: TOOLS, tool_choice: { type: "custom", custom: { name: "sql" } } },
  { tools: TOOLS, tool_choice: "none" },
  {
    tools: TOOLS,
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: {
        mode: "auto",
        tools: [
          { type: "function", function: { name: "f" } },
          { type: "custom", custom: { name: "sql" } },
        ],
      },
    },
  },
  { response_format: { type: "json_object" } },
  {
    response_format: {
      type: "json_schema",
      json_schema: { name: "a", schema: { type: "object" }, strict: true, description: "d" },
    },
  },
  ...["none", "minimal", "low", "medium", "high", "xhigh", "max"].map((effort) => ({ reasoning_effort: effort })),
  {
    seed: 1,
    presence_penalty: 1,
    frequency_penalty: 1,
    top_k: 5,
    user: "u",
    verbosity: "low",
    stop: "x",
    max_completion_tokens: 20,
  },
  {
    messages: [
      { role: "system", content: "a" },
      { role: "system", content: "b" },
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "image_url", image_url: { url: "https://example.org/a.png" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        refusal: "No.",
        tool_calls: [
          { id: "functions.f:0", type: "function", function: { name: "f", arguments: "{bad" } },
          { id: "c2", type: "custom", custom: { name: "sql", input: "select 1" } },
        ],
      },
      { role: "tool", tool_call_id: "functions.f:0", content: "Error" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "1" }] },
      { role: "developer", content: "c" },
      { role: "user", content: "And?" },
    ],
  },
];
const MODELS = ["gpt-5.2", "qwen3", "claude-sonnet-4-5", "claude-opus-5", "gemini-2.5-pro", "gemini-3-pro"];

/** A value as the source of an expression. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${literal(inner)}`)
    .join()}}`;
}

/** Lines that the compiler must refuse, so that nobody takes a compiler that looked at nothing for a content one. */
const WRONG = "nonsense in";

function* lines(): Generator<{ readonly of: string; readonly source: string }> {
  let count = 0;
  const line = (of: string, wire: RequestWire, value: unknown): { of: string; source: string } => ({
    of,
    source: `export const v${count++}: ${TYPES[wire]} = ${literal(value)};`,
  });
  for (const to of WIRES) {
    yield line(`${WRONG} ${to}`, to, {
      ...writeRequest(to, readRequest("openai-chat", REQUESTS["openai-chat"]).request).body,
      nonsense: 1,
    });
    for (const from of WIRES) {
      const { body } = translateRequest(REQUESTS[from], { from, to, model: "m", stream: true });
      yield line(`${from} to ${to}`, to, body);
    }
    for (const model of MODELS) {
      for (const [at, more] of MORE.entries()) {
        const request = { ...REQUESTS["openai-chat"], model, ...more };
        yield line(`${to}, ${model}, ${at}`, to, translateRequest(request, { from: "openai-chat", to }).body);
      }
    }
  }
}

test("every request is one of the SDK's types", { timeout: 60_000 }, async () => {
  const all = [...lines()];
  expect(all.length).toBeGreaterThan(300);
  await mkdir(folder, { recursive: true });
  const head = `${PRELUDE.trim()}\n`;
  await writeFile(join(folder, "requests.ts"), head + all.map(({ source }) => source).join("\n"));
  const settings = {
    extends: join(root, "tsconfig.check.json"),
    compilerOptions: { rootDir: ".", incremental: false },
    files: ["requests.ts"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
    maxBuffer: 1 << 28,
  }).catch((error: unknown) => error as { stdout: string });
  const offset = head.split("\n").length;
  const errors = stdout.split("\n").flatMap((text) => {
    const [, at] = /requests\.ts\((\d+),\d+\): error/.exec(text) ?? [];
    return at === undefined
      ? []
      : [{ of: all[Number(at) - offset]?.of ?? "the prelude", words: text.slice(text.indexOf("error"), 400) }];
  });
  expect(errors.filter(({ of }) => !of.startsWith(WRONG))).toEqual([]);
  expect(errors).toHaveLength(WIRES.length);
});
