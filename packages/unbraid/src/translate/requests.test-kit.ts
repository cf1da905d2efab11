// One request in each vendor's own words: a task with tools, an image, a failed call and a second try. What is read of one
// must be what is written for another.

import type { RequestWire } from "./neutral-request.ts";

const PNG = "iVBORw0KGgo=";
const WEATHER = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
};
const EMPTY = { type: "object", properties: {} };

/** By vendor, the request; for Gemini, whose model stands in the address, without it. */
export const REQUESTS: Readonly<Record<RequestWire, Record<string, unknown>>> = {
  "openai-chat": {
    model: "model-1",
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Which town is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [
          { id: "call_a", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo","days":2}' } },
          { id: "call_b", type: "function", function: { name: "roll_die", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_a", content: "Rain" },
      { role: "tool", tool_call_id: "call_b", content: "Error: no die" },
      { role: "user", content: "And now?" },
    ],
    tools: [
      { type: "function", function: { name: "get_weather", description: "Weather of a town", parameters: WEATHER } },
      { type: "function", function: { name: "roll_die", parameters: EMPTY } },
    ],
    tool_choice: "auto",
    max_tokens: 500,
    temperature: 0.5,
    top_p: 0.9,
    stop: ["END"],
    stream: true,
    stream_options: { include_usage: true },
  },
  "openai-responses": {
    model: "model-1",
    instructions: "Be brief.",
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Which town is this?" },
          { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" },
        ],
      },
      { type: "message", role: "assistant", content: "Let me look." },
      { type: "function_call", call_id: "call_a", name: "get_weather", arguments: '{"city":"Oslo","days":2}' },
      { type: "function_call", call_id: "call_b", name: "roll_die", arguments: "{}" },
      { type: "function_call_output", call_id: "call_a", output: "Rain" },
      { type: "function_call_output", call_id: "call_b", output: "Error: no die" },
      { type: "message", role: "user", content: "And now?" },
    ],
    tools: [
      { type: "function", name: "get_weather", description: "Weather of a town", parameters: WEATHER, strict: false },
      { type: "function", name: "roll_die", parameters: EMPTY, strict: false },
    ],
    tool_choice: "auto",
    max_output_tokens: 500,
    temperature: 0.5,
    top_p: 0.9,
    stream: true,
    store: false,
  },
  anthropic: {
    model: "model-1",
    system: "Be brief.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Which town is this?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "call_a", name: "get_weather", input: { city: "Oslo", days: 2 } },
          { type: "tool_use", id: "call_b", name: "roll_die", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_a", content: "Rain" },
          { type: "tool_result", tool_use_id: "call_b", content: "Error: no die", is_error: true },
        ],
      },
      { role: "user", content: "And now?" },
    ],
    tools: [
      { name: "get_weather", description: "Weather of a town", input_schema: WEATHER },
      { name: "roll_die", input_schema: EMPTY },
    ],
    tool_choice: { type: "auto" },
    max_tokens: 500,
    temperature: 0.5,
    top_p: 0.9,
    stop_sequences: ["END"],
    stream: true,
  },
  gemini: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      {
        role: "user",
        parts: [{ text: "Which town is this?" }, { inlineData: { mimeType: "image/png", data: PNG } }],
      },
      {
        role: "model",
        parts: [
          { text: "Let me look." },
          { functionCall: { id: "call_a", name: "get_weather", args: { city: "Oslo", days: 2 } } },
          { functionCall: { id: "call_b", name: "roll_die", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "call_a", name: "get_weather", response: { output: "Rain" } } },
          { functionResponse: { id: "call_b", name: "roll_die", response: { error: "Error: no die" } } },
        ],
      },
      { role: "user", parts: [{ text: "And now?" }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: "get_weather", description: "Weather of a town", parametersJsonSchema: WEATHER },
          { name: "roll_die", parametersJsonSchema: EMPTY },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    generationConfig: { maxOutputTokens: 500, temperature: 0.5, topP: 0.9, stopSequences: ["END"] },
  },
};

/** Every vendor. */
export const WIRES: readonly RequestWire[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
/** Every direction, twelve of them. */
export const DIRECTIONS: readonly { readonly from: RequestWire; readonly to: RequestWire }[] = WIRES.flatMap((from) =>
  WIRES.filter((to) => to !== from).map((to) => ({ from, to })),
);
