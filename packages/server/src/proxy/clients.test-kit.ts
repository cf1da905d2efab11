// One task over five turns, done with each vendor's own SDK as its guide shows it: streamed, the assistant's turn sent back as it
// came, results behind it. Owns the loops; no code of ours takes part in them.

import Anthropic from "@anthropic-ai/sdk";
import { FunctionCallingConfigMode, GoogleGenAI, type Content, type Part } from "@google/genai";
import OpenAI from "openai";

/** A tool as the task has it. */
interface TaskTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly type: "object"; readonly properties: Readonly<Record<string, object>> };
}

/** What a client is given. */
export interface Task {
  /** The proxy. */
  readonly url: string;
  readonly system: string;
  readonly text: string;
  /** A PNG in base64. */
  readonly image: string;
  readonly tools: readonly TaskTool[];
  /** Runs a tool; throws where the tool fails. */
  readonly run: (name: string, args: unknown) => string;
}

/** How it went. */
interface Done {
  readonly text: string;
  readonly turns: number;
}

/** More turns are a loop without an end. */
const MAX_TURNS = 12;
const KEY = "the-clients-key";

function outcome(task: Task, name: string, args: unknown): { readonly content: string; readonly failed: boolean } {
  try {
    return { content: task.run(name, args), failed: false };
  } catch (error) {
    return { content: `Error: ${(error as Error).message}`, failed: true };
  }
}

async function chat(task: Task): Promise<Done> {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${task.url}/v1`, maxRetries: 0 });
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
    { role: "system", content: task.system },
    {
      role: "user",
      content: [
        { type: "text", text: task.text },
        { type: "image_url", image_url: { url: `data:image/png;base64,${task.image}` } },
      ],
    },
  ];
  const tools = task.tools.map((each) => ({
    type: "function" as const,
    function: { name: each.name, description: each.description, parameters: each.parameters as never },
  }));
  for (let turns = 1; turns < MAX_TURNS; turns++) {
    const { choices } = await client.chat.completions.stream({ model: "m", messages, tools }).finalChatCompletion();
    const message = choices[0]!.message;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return { text: message.content ?? "", turns };
    messages.push(message);
    for (const call of calls) {
      if (call.type !== "function") continue;
      const { content } = outcome(task, call.function.name, JSON.parse(call.function.arguments));
      messages.push({ role: "tool", tool_call_id: call.id, content });
    }
  }
  throw new Error("no end");
}

async function responses(task: Task): Promise<Done> {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${task.url}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [
    {
      role: "user",
      content: [
        { type: "input_text", text: task.text },
        { type: "input_image", image_url: `data:image/png;base64,${task.image}`, detail: "auto" },
      ],
    },
  ];
  const tools = task.tools.map(({ name, description, parameters }) => ({
    type: "function" as const,
    name,
    description,
    parameters: parameters as never,
    strict: false,
  }));
  for (let turns = 1; turns < MAX_TURNS; turns++) {
    const stream = client.responses.stream({ model: "m", instructions: task.system, input, tools, store: false });
    const { output, output_text } = await stream.finalResponse();
    const calls = output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return { text: output_text, turns };
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
    for (const call of calls) {
      const { content } = outcome(task, call.name, JSON.parse(call.arguments));
      input.push({ type: "function_call_output", call_id: call.call_id, output: content });
    }
  }
  throw new Error("no end");
}

async function anthropic(task: Task): Promise<Done> {
  const client = new Anthropic({ apiKey: KEY, authToken: null, baseURL: task.url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [
    {
      role: "user",
      content: [
        { type: "text", text: task.text },
        { type: "image", source: { type: "base64", media_type: "image/png", data: task.image } },
      ],
    },
  ];
  const tools = task.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters as never,
  }));
  for (let turns = 1; turns < MAX_TURNS; turns++) {
    const stream = client.messages.stream({ model: "m", max_tokens: 500, system: task.system, messages, tools });
    const { content, stop_reason } = await stream.finalMessage();
    const calls = content.filter((block) => block.type === "tool_use");
    if (stop_reason !== "tool_use")
      return { text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""), turns };
    messages.push({ role: "assistant", content });
    messages.push({
      role: "user",
      content: calls.map((call) => {
        const { content: text, failed } = outcome(task, call.name, call.input);
        return { type: "tool_result" as const, tool_use_id: call.id, content: text, is_error: failed };
      }),
    });
  }
  throw new Error("no end");
}

async function gemini(task: Task): Promise<Done> {
  const client = new GoogleGenAI({ apiKey: KEY, vertexai: false, httpOptions: { baseUrl: task.url } });
  const contents: Content[] = [
    { role: "user", parts: [{ text: task.text }, { inlineData: { mimeType: "image/png", data: task.image } }] },
  ];
  const config = {
    systemInstruction: task.system,
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
    tools: [
      {
        functionDeclarations: task.tools.map(({ name, description, parameters }) => ({
          name,
          description,
          parametersJsonSchema: parameters,
        })),
      },
    ],
  };
  for (let turns = 1; turns < MAX_TURNS; turns++) {
    const parts: Part[] = [];
    for await (const chunk of await client.models.generateContentStream({ model: "m", contents, config }))
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
    if (calls.length === 0) return { text: parts.map(({ text }) => text ?? "").join(""), turns };
    contents.push({ role: "model", parts });
    contents.push({
      role: "user",
      parts: calls.map(({ id, name = "", args }) => {
        const { content, failed } = outcome(task, name, args);
        const response = failed ? { error: content } : { output: content };
        return { functionResponse: { ...(id === undefined ? {} : { id }), name, response } };
      }),
    });
  }
  throw new Error("no end");
}

/** The loops by the wire that they speak. */
export const clients = { "openai-chat": chat, "openai-responses": responses, anthropic, gemini } as const;
