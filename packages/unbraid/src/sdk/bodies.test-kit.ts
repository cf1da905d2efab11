// One sound response of each vendor, as frames: some text and two calls, side by side where the wire can do that. Owns
// what is right for them.

import type { SdkProtocol } from "./clients.test-kit.ts";

/** A response, frame by frame, so that it can be cut anywhere between. */
export interface Body {
  readonly protocol: SdkProtocol;
  /** The frames, framing and all. */
  readonly frames: readonly string[];
  /** How many frames hold everything up to the first call's first piece of arguments. */
  readonly upToArguments: number;
  /** How many frames hold everything up to the finish word, but not the end marker. */
  readonly upToFinish: number;
  /** The vendor's word. */
  readonly rawFinish: string;
}

/** What every body says. */
export const TEXT = "Let me look. ☂";
export const CALLS = [
  { name: "get_weather", arguments: { city: "Zürich", days: 3 } },
  { name: "get_time", arguments: {} },
] as const;

const WEATHER = ['{"city":', '"Zürich",', '"days":3}'] as const;

function sse(data: object, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function chat(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return sse({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt", choices, ...more });
}

function chatCall(index: number, args: string, name?: string): string {
  const header = name === undefined ? {} : { id: `call_${name}`, type: "function" };
  return chat({
    tool_calls: [{ index, ...header, function: { ...(name === undefined ? {} : { name }), arguments: args } }],
  });
}

const openaiChat: Body = {
  protocol: "openai-chat",
  frames: [
    chat({ role: "assistant", content: "" }),
    chat({ content: TEXT }),
    chatCall(0, "", CALLS[0].name),
    chatCall(0, WEATHER[0]),
    chatCall(1, "", CALLS[1].name),
    chatCall(0, WEATHER[1]),
    chatCall(1, "{}"),
    chatCall(0, WEATHER[2]),
    chat({}, "tool_calls"),
    chat({}, null, { choices: [], usage: { prompt_tokens: 7, completion_tokens: 20, total_tokens: 27 } }),
    "data: [DONE]\n\n",
  ],
  upToArguments: 4,
  upToFinish: 9,
  rawFinish: "tool_calls",
};

let sequence = 0;

function responses(type: string, fields: object): string {
  return sse({ type, sequence_number: sequence++, ...fields }, type);
}

function item(at: 0 | 1, args: string, status: string): object {
  const { name } = CALLS[at];
  return { type: "function_call", id: `fc_${name}`, call_id: `call_${name}`, name, arguments: args, status };
}

const MESSAGE = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: TEXT, annotations: [] }],
};

function argumentsOf(at: 0 | 1, pieces: readonly string[]): string[] {
  const place = { output_index: at + 1, item_id: `fc_${CALLS[at].name}` };
  const text = pieces.join("");
  return [
    responses("response.output_item.added", { output_index: at + 1, item: item(at, "", "in_progress") }),
    ...pieces.map((delta) => responses("response.function_call_arguments.delta", { ...place, delta })),
    responses("response.function_call_arguments.done", { ...place, name: CALLS[at].name, arguments: text }),
    responses("response.output_item.done", { output_index: at + 1, item: item(at, text, "completed") }),
  ];
}

function response(status: string, output: readonly object[]): object {
  return { response: { id: "resp_1", object: "response", created_at: 1, model: "gpt", status, output, tools: [] } };
}

const place = { output_index: 0, item_id: "msg_1", content_index: 0 };
const openaiResponses: Body = {
  protocol: "openai-responses",
  frames: [
    responses("response.created", response("in_progress", [])),
    responses("response.output_item.added", {
      output_index: 0,
      item: { ...MESSAGE, status: "in_progress", content: [] },
    }),
    responses("response.content_part.added", { ...place, part: { type: "output_text", text: "", annotations: [] } }),
    responses("response.output_text.delta", { ...place, delta: TEXT }),
    responses("response.output_text.done", { ...place, text: TEXT }),
    responses("response.content_part.done", { ...place, part: MESSAGE.content[0] }),
    responses("response.output_item.done", { output_index: 0, item: MESSAGE }),
    ...argumentsOf(0, WEATHER),
    ...argumentsOf(1, ["{}"]),
    responses(
      "response.completed",
      response("completed", [MESSAGE, item(0, WEATHER.join(""), "completed"), item(1, "{}", "completed")]),
    ),
  ],
  upToArguments: 9,
  upToFinish: 18,
  rawFinish: "completed",
};

function messages(type: string, fields: object = {}): string {
  return sse({ type, ...fields }, type);
}

function block(index: number, start: object, deltas: readonly object[]): string[] {
  return [
    messages("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => messages("content_block_delta", { index, delta })),
    messages("content_block_stop", { index }),
  ];
}

function toolUse(at: 0 | 1, pieces: readonly string[]): string[] {
  const { name } = CALLS[at];
  return block(
    at + 1,
    { type: "tool_use", id: `toolu_${name}`, name, input: {} },
    ["", ...pieces].map((text) => ({ type: "input_json_delta", partial_json: text })),
  );
}

const anthropic: Body = {
  protocol: "anthropic",
  frames: [
    messages("message_start", {
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 1 },
      },
    }),
    messages("ping"),
    ...block(0, { type: "text", text: "" }, [{ type: "text_delta", text: TEXT }]),
    ...toolUse(0, WEATHER),
    ...toolUse(1, []),
    messages("message_delta", {
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 20 },
    }),
    messages("message_stop"),
  ],
  upToArguments: 8,
  upToFinish: 15,
  rawFinish: "tool_use",
};

function content(parts: readonly object[], more: object = {}): string {
  const candidates = [{ content: { role: "model", parts }, index: 0, ...more }];
  return sse({ candidates, modelVersion: "gemini", responseId: "resp-1" });
}

const gemini: Body = {
  protocol: "gemini",
  frames: [
    content([{ text: TEXT }]),
    content([
      {
        functionCall: {
          name: CALLS[0].name,
          partialArgs: [{ jsonPath: "$.city", stringValue: "Zür", willContinue: true }],
          willContinue: true,
        },
        thoughtSignature: "c2lnbmVk",
      },
    ]),
    content([{ functionCall: { partialArgs: [{ jsonPath: "$.city", stringValue: "ich" }], willContinue: true } }]),
    content([{ functionCall: { partialArgs: [{ jsonPath: "$.days", numberValue: 3 }], willContinue: true } }]),
    content([{ functionCall: {} }]),
    content([{ functionCall: { name: CALLS[1].name, args: {} } }]),
    content([{ text: "" }], { finishReason: "STOP" }),
  ],
  upToArguments: 2,
  upToFinish: 7,
  rawFinish: "STOP",
};

/** All of them, by wire. */
export const bodies: Readonly<Record<SdkProtocol, Body>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};
