// Answers of a scripted model on every wire, as the vendor would frame them. Owns the bodies; composed here, nobody's
// traffic.

import { EventStreamCodec } from "@smithy/eventstream-codec";
import type { FinishReason } from "../events.ts";

/** One call, as the model writes it. */
interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** The argument text. Wires that carry objects send an empty one where it is no JSON. */
  readonly text: string;
}

/** One answer. */
export interface ScriptedAnswer {
  readonly id: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Null: the body ends without its terminal signal. */
  readonly finish?: FinishReason | null;
  /** An error in the stream, after what was said. */
  readonly error?: string;
}

/** The wires that can be scripted. */
export type ScriptedWire =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "gemini-interactions"
  | "bedrock"
  | "cohere"
  | "mistral"
  | "ollama";

/** A body, cut into its frames. */
export interface ScriptedBody {
  readonly contentType: string;
  readonly frames: readonly Uint8Array[];
}

/** The body of an answer. */
export function bodyOf(wire: ScriptedWire, answer: ScriptedAnswer): ScriptedBody {
  return BODIES[wire]({
    id: answer.id,
    text: answer.text ?? "",
    calls: answer.calls ?? [],
    finish: answer.finish === undefined ? ((answer.calls ?? []).length > 0 ? "tool_calls" : "stop") : answer.finish,
    error: answer.error,
  });
}

interface Whole {
  readonly id: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
  readonly finish: FinishReason | null;
  readonly error: string | undefined;
}

const encoder = new TextEncoder();
const USAGE = { input: 11, output: 7 };

function sse(events: readonly (object | string)[], named = false): ScriptedBody {
  const frames = events.map((event) => {
    if (typeof event === "string") return `data: ${event}\n\n`;
    const type = (event as { type?: string; event_type?: string }).type;
    return `${named && type !== undefined ? `event: ${type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
  });
  return { contentType: "text/event-stream", frames: frames.map((frame) => encoder.encode(frame)) };
}

function lines(events: readonly object[]): ScriptedBody {
  const frames = events.map((event) => encoder.encode(`${JSON.stringify(event)}\n`));
  return { contentType: "application/x-ndjson", frames };
}

/** A text in two pieces, neither of them empty where it can be helped. */
function pieces(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2);
  return text.length < 2 ? [text] : [text.slice(0, half), text.slice(half)];
}

function objectOf(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

const BODIES: Readonly<Record<ScriptedWire, (answer: Whole) => ScriptedBody>> = {
  "openai-chat": (answer) => sse(chatEvents(answer)),
  mistral: (answer) => sse(mistralEvents(answer)),
  "openai-responses": (answer) => sse(responsesEvents(answer), true),
  anthropic: (answer) => sse(anthropicEvents(answer), true),
  gemini: (answer) => sse(geminiEvents(answer)),
  "gemini-interactions": (answer) => sse(interactionsEvents(answer)),
  bedrock: (answer) => ({ contentType: "application/vnd.amazon.eventstream", frames: bedrockFrames(answer) }),
  cohere: (answer) => sse(cohereEvents(answer), true),
  ollama: (answer) => lines(ollamaEvents(answer)),
};

type Events = readonly (object | string)[];

function chatEvents({ id, text, calls, finish, error }: Whole): Events {
  const chunk = (choices: readonly object[], more: object = {}): object => ({
    id,
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "scripted",
    choices,
    ...more,
  });
  const delta = (what: object, word: string | null = null): object =>
    chunk([{ index: 0, delta: what, finish_reason: word }]);
  return [
    delta({ role: "assistant", content: null }),
    ...(text === "" ? [] : pieces(text).map((content) => delta({ content }))),
    ...calls.flatMap((call, index) => [
      delta({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] }),
      ...pieces(call.text).map((args) => delta({ tool_calls: [{ index, function: { arguments: args } }] })),
    ]),
    ...(error === undefined ? [] : [{ error: { message: error, type: "server_error", code: "server_error" } }]),
    ...(finish === null || error !== undefined
      ? []
      : [
          delta({}, finish),
          chunk([], {
            usage: {
              prompt_tokens: USAGE.input,
              completion_tokens: USAGE.output,
              total_tokens: USAGE.input + USAGE.output,
            },
          }),
          "[DONE]",
        ]),
  ];
}

/** Classic models give a call whole, without index and type, in the chunk of the finish. */
function mistralEvents({ id, text, calls, finish, error }: Whole): Events {
  const chunk = (delta: object, word: string | null, more: object = {}): object => ({
    id,
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason: word }],
    ...more,
  });
  const list = calls.map((call) => ({ id: call.id, function: { name: call.name, arguments: call.text } }));
  const usage = {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
  return [
    chunk({ role: "assistant", content: "" }, null),
    ...(text === "" ? [] : pieces(text).map((content) => chunk({ content }, null))),
    ...(error === undefined ? [] : [{ object: "error", message: error, type: "server_error", code: "3000" }]),
    ...(error !== undefined || (finish === null && list.length === 0)
      ? []
      : [chunk({ content: "", ...(list.length === 0 ? {} : { tool_calls: list }) }, finish, { usage })]),
    ...(finish === null || error !== undefined ? [] : ["[DONE]"]),
  ];
}

function responsesEvents({ id, text, calls, finish, error }: Whole): Events {
  const response = (status: string, output: readonly object[], more: object = {}): object => ({
    id,
    object: "response",
    created_at: 1_790_000_000,
    model: "scripted",
    status,
    output,
    ...more,
  });
  const message = {
    type: "message",
    id: `msg_${id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const items = calls.map((call) => ({
    type: "function_call",
    id: `fc_${call.id}`,
    call_id: call.id,
    name: call.name,
    arguments: call.text,
    status: "completed",
  }));
  const shift = text === "" ? 0 : 1;
  const events: object[] = [
    { type: "response.created", response: response("in_progress", []) },
    ...(text === ""
      ? []
      : [
          {
            type: "response.output_item.added",
            output_index: 0,
            item: { ...message, status: "in_progress", content: [] },
          },
          ...pieces(text).map((delta) => ({
            type: "response.output_text.delta",
            output_index: 0,
            content_index: 0,
            item_id: message.id,
            delta,
          })),
          { type: "response.output_item.done", output_index: 0, item: message },
        ]),
    ...items.flatMap((item, at) => {
      const place = { output_index: at + shift };
      return [
        {
          type: "response.output_item.added",
          ...place,
          item: { ...item, arguments: "", status: "in_progress" },
        },
        ...pieces(item.arguments).map((delta) => ({
          type: "response.function_call_arguments.delta",
          ...place,
          item_id: item.id,
          delta,
        })),
        { type: "response.function_call_arguments.done", ...place, item_id: item.id, arguments: item.arguments },
        { type: "response.output_item.done", ...place, item },
      ];
    }),
  ];
  const output = [...(text === "" ? [] : [message]), ...items];
  const usage = {
    input_tokens: USAGE.input,
    output_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
  if (error !== undefined) {
    const failed = response("failed", output, { error: { code: "server_error", message: error } });
    events.push({ type: "response.failed", response: failed });
  } else if (finish === "length") {
    const cut = response("incomplete", output, { incomplete_details: { reason: "max_output_tokens" }, usage });
    events.push({ type: "response.incomplete", response: cut });
  } else if (finish !== null) {
    events.push({ type: "response.completed", response: response("completed", output, { usage }) });
  }
  return events.map((event, at) => ({ ...event, sequence_number: at }));
}

const ANTHROPIC_STOP: Readonly<Record<string, string>> = {
  tool_calls: "tool_use",
  stop: "end_turn",
  length: "max_tokens",
  content_filter: "refusal",
};

function anthropicEvents({ id, text, calls, finish, error }: Whole): Events {
  const blocks = [
    ...(text === ""
      ? []
      : [
          { start: { type: "text", text: "" }, deltas: pieces(text).map((one) => ({ type: "text_delta", text: one })) },
        ]),
    ...calls.map((call) => ({
      start: { type: "tool_use", id: call.id, name: call.name, input: {} },
      deltas: pieces(call.text).map((one) => ({ type: "input_json_delta", partial_json: one })),
    })),
  ];
  return [
    {
      type: "message_start",
      message: {
        id,
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: USAGE.input, output_tokens: 1 },
      },
    },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    ...(error === undefined ? [] : [{ type: "error", error: { type: "overloaded_error", message: error } }]),
    ...(finish === null || error !== undefined
      ? []
      : [
          {
            type: "message_delta",
            delta: { stop_reason: ANTHROPIC_STOP[finish] ?? finish, stop_sequence: null },
            usage: { output_tokens: USAGE.output },
          },
          { type: "message_stop" },
        ]),
  ];
}

const GEMINI_FINISH: Readonly<Record<string, string>> = {
  tool_calls: "STOP",
  stop: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};

function geminiEvents({ id, text, calls, finish, error }: Whole): Events {
  const chunk = (parts: readonly object[], more: object = {}, beside: object = {}): object => ({
    responseId: id,
    modelVersion: "scripted",
    candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
    ...beside,
  });
  const usageMetadata = {
    promptTokenCount: USAGE.input,
    candidatesTokenCount: USAGE.output,
    totalTokenCount: USAGE.input + USAGE.output,
  };
  return [
    ...(text === "" ? [] : pieces(text).map((one) => chunk([{ text: one }]))),
    ...calls.map((call) =>
      chunk([
        { functionCall: { id: call.id, name: call.name, args: objectOf(call.text) }, thoughtSignature: "c2lnbmVk" },
      ]),
    ),
    ...(error === undefined ? [] : [{ error: { code: 503, message: error, status: "UNAVAILABLE" } }]),
    ...(finish === null || error !== undefined
      ? []
      : [chunk([{ text: "" }], { finishReason: GEMINI_FINISH[finish] ?? finish }, { usageMetadata })]),
  ];
}

function interactionsEvents({ id, text, calls, finish, error }: Whole): Events {
  const shift = text === "" ? 0 : 1;
  const status = finish === "tool_calls" ? "requires_action" : finish === "length" ? "incomplete" : "completed";
  return [
    { event_type: "interaction.created", interaction: { id, status: "in_progress", model: "scripted" } },
    ...(text === ""
      ? []
      : [
          { event_type: "step.start", index: 0, step: { type: "model_output", content: [] } },
          ...pieces(text).map((one) => ({ event_type: "step.delta", index: 0, delta: { type: "text", text: one } })),
          { event_type: "step.stop", index: 0 },
        ]),
    ...calls.flatMap((call, at) => {
      const index = at + shift;
      return [
        {
          event_type: "step.start",
          index,
          step: { type: "function_call", id: call.id, name: call.name, arguments: {}, signature: "c2lnbmVk" },
        },
        ...pieces(call.text).map((one) => ({
          event_type: "step.delta",
          index,
          delta: { type: "arguments_delta", arguments: one },
        })),
        { event_type: "step.stop", index },
      ];
    }),
    ...(error === undefined ? [] : [{ event_type: "error", error: { code: "unavailable", message: error } }]),
    ...(finish === null || error !== undefined
      ? []
      : [
          {
            event_type: "interaction.completed",
            interaction: {
              id,
              status,
              model: "scripted",
              usage: { total_input_tokens: USAGE.input, total_output_tokens: USAGE.output },
            },
          },
          "[DONE]",
        ]),
  ];
}

const BEDROCK_STOP: Readonly<Record<string, string>> = {
  tool_calls: "tool_use",
  stop: "end_turn",
  length: "max_tokens",
  content_filter: "content_filtered",
};

function bedrockFrames({ text, calls, finish, error }: Whole): Uint8Array[] {
  const shift = text === "" ? 0 : 1;
  const events: [string, object][] = [
    ["messageStart", { role: "assistant" }],
    ...(text === ""
      ? []
      : [
          ...pieces(text).map((one): [string, object] => [
            "contentBlockDelta",
            { contentBlockIndex: 0, delta: { text: one } },
          ]),
          ["contentBlockStop", { contentBlockIndex: 0 }] as [string, object],
        ]),
    ...calls.flatMap((call, at): [string, object][] => {
      const contentBlockIndex = at + shift;
      const start = { toolUse: { toolUseId: call.id, name: call.name } };
      return [
        ["contentBlockStart", { contentBlockIndex, start }],
        ...pieces(call.text).map((input): [string, object] => [
          "contentBlockDelta",
          { contentBlockIndex, delta: { toolUse: { input } } },
        ]),
        ["contentBlockStop", { contentBlockIndex }],
      ];
    }),
    ...(finish === null || error !== undefined
      ? []
      : ([
          ["messageStop", { stopReason: BEDROCK_STOP[finish] ?? finish }],
          [
            "metadata",
            {
              usage: {
                inputTokens: USAGE.input,
                outputTokens: USAGE.output,
                totalTokens: USAGE.input + USAGE.output,
              },
              metrics: { latencyMs: 5 },
            },
          ],
        ] as [string, object][])),
  ];
  const frames = events.map(([type, body]) => awsMessage({ ":message-type": "event", ":event-type": type }, body));
  if (error !== undefined) {
    const headers = { ":message-type": "exception", ":exception-type": "serviceUnavailableException" };
    frames.push(awsMessage(headers, { message: error }));
  }
  return frames;
}

const codec = new EventStreamCodec(
  (input) => (typeof input === "string" ? input : new TextDecoder().decode(input)),
  (input) => encoder.encode(input),
);

function awsMessage(headers: Readonly<Record<string, string>>, body: object): Uint8Array {
  const named = { ...headers, ":content-type": "application/json" };
  return codec.encode({
    headers: Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { type: "string", value }])),
    body: encoder.encode(JSON.stringify(body)),
  });
}

const COHERE_FINISH: Readonly<Record<string, string>> = {
  tool_calls: "TOOL_CALL",
  stop: "COMPLETE",
  length: "MAX_TOKENS",
  content_filter: "ERROR",
};

function cohereEvents({ id, text, calls, finish, error }: Whole): Events {
  const usage = {
    billed_units: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    tokens: { input_tokens: USAGE.input, output_tokens: USAGE.output },
  };
  return [
    {
      type: "message-start",
      id,
      delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [] } },
    },
    ...(text === ""
      ? []
      : [
          { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
          ...pieces(text).map((one) => ({
            type: "content-delta",
            index: 0,
            delta: { message: { content: { text: one } } },
          })),
          { type: "content-end", index: 0 },
        ]),
    ...calls.flatMap((call, index) => [
      {
        type: "tool-call-start",
        index,
        delta: {
          message: { tool_calls: { id: call.id, type: "function", function: { name: call.name, arguments: "" } } },
        },
      },
      ...pieces(call.text).map((args) => ({
        type: "tool-call-delta",
        index,
        delta: { message: { tool_calls: { function: { arguments: args } } } },
      })),
      { type: "tool-call-end", index },
    ]),
    ...(error === undefined ? [] : [{ type: "message-end", delta: { finish_reason: "ERROR", error, usage } }]),
    ...(finish === null || error !== undefined
      ? []
      : [{ type: "message-end", delta: { finish_reason: COHERE_FINISH[finish] ?? finish, usage } }]),
  ];
}

function ollamaEvents({ text, calls, finish, error }: Whole): readonly object[] {
  const line = (message: object, more: object): object => ({
    model: "scripted",
    created_at: "2026-11-30T00:00:00Z",
    message: { role: "assistant", ...message },
    ...more,
  });
  return [
    ...(text === "" ? [] : pieces(text).map((content) => line({ content }, { done: false }))),
    ...calls.map((call, index) =>
      line(
        {
          content: "",
          tool_calls: [{ id: call.id, function: { index, name: call.name, arguments: objectOf(call.text) } }],
        },
        { done: false },
      ),
    ),
    ...(error === undefined ? [] : [{ error }]),
    ...(finish === null || error !== undefined
      ? []
      : [
          line(
            { content: "" },
            {
              done: true,
              done_reason: finish === "length" ? "length" : "stop",
              prompt_eval_count: USAGE.input,
              eval_count: USAGE.output,
            },
          ),
        ]),
  ];
}
