// Requests of Anthropic Messages. Owns their reading.

import type { AnswerItem } from "../turns/answer.ts";
import type { ContentPart } from "../turns/content.ts";
import type { CallResult, ToolDefinition } from "../turns/turn-form.ts";
import { CallBook } from "./call-book.ts";
import { mediaOf } from "./media.ts";
import {
  defined,
  type NeutralRequest,
  type NeutralTurn,
  type ReasoningRequest,
  type ToolChoice,
} from "./neutral-request.ts";
import { RequestError } from "./request-error.ts";
import { type RequestObject, wrong } from "./request-object.ts";
import { effortOf, toolsOf, userTurns } from "./shared-fields.ts";

/** Reads a request. */
export function readAnthropic(body: RequestObject): NeutralRequest {
  const calls = new CallBook();
  const messages = body.list("messages");
  if (messages === undefined) throw new RequestError("malformed", body.at("messages"), "is missing");
  const choice = body.object("tool_choice");
  const output = body.object("output_config");
  const format = output?.object("format") ?? body.object("output_format");
  const request: NeutralRequest = {
    stream: body.boolean("stream") ?? false,
    system: systemOf(body),
    turns: messages.flatMap((placed) => turnsOf(body.inside(placed), calls)),
    tools: toolsOf(body.objects("tools"), toolOf),
    ...defined({
      model: body.string("model"),
      toolChoice: choiceOf(choice),
      parallelCalls: parallelOf(choice),
      maxTokens: body.number("max_tokens"),
      temperature: body.number("temperature"),
      topP: body.number("top_p"),
      topK: body.number("top_k"),
      stop: body.strings("stop_sequences"),
      format:
        format?.string("type") === "json_schema"
          ? { type: "schema" as const, schema: format.json("schema") ?? {} }
          : undefined,
      reasoning: reasoningOf(body.object("thinking"), output),
      user: body.object("metadata")?.string("user_id"),
    }),
  };
  body.ignore("cache_control");
  body.done();
  return request;
}

/** A list of texts stays a list: they are paragraphs of their own. */
function systemOf(body: RequestObject): readonly string[] {
  const system = body.take("system");
  if (system === undefined) return [];
  if (typeof system === "string") return [system];
  return body.objects("system").map((block) => block.needString("text"));
}

/** Results stand in the user's messages, before what the user says. */
function turnsOf(message: RequestObject, calls: CallBook): NeutralTurn[] {
  const { path } = message;
  const role = message.needString("role");
  if (role === "assistant") {
    const items = blocksOf(message).flatMap((block) => assistantItem(block, calls));
    return [{ role: "assistant", items, path }];
  }
  if (role !== "user" && role !== "system")
    throw new RequestError(
      "malformed",
      message.at("role"),
      `is "${role.slice(0, 40)}", which is no role of this vendor's`,
    );
  const content: ContentPart[] = [];
  const results: CallResult[] = [];
  for (const block of blocksOf(message)) {
    if (block.string("type") === "tool_result") results.push(resultOf(block, calls));
    else content.push(...partOf(block));
  }
  if (role === "system") return [{ role: "system", text: textIn(content), path }];
  return userTurns(results, content, path);
}

function textIn(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function blocksOf(from: RequestObject): readonly RequestObject[] {
  const content = from.take("content");
  if (content === undefined) return [];
  if (typeof content === "string")
    return [from.inside({ value: { type: "text", text: content }, path: from.at("content") })];
  if (!Array.isArray(content)) throw wrong(from.at("content"), "a string or a list", content);
  return from.objects("content");
}

function resultOf(block: RequestObject, calls: CallBook): CallResult {
  const call = calls.answer(block.needString("tool_use_id"), block.at("tool_use_id"));
  const content = blocksOf(block).flatMap((each) => {
    const part = partOf(each);
    return part;
  });
  block.ignore("cache_control");
  return { call, content, ...(block.boolean("is_error") === true ? { isError: true as const } : {}) };
}

function partOf(block: RequestObject): ContentPart[] {
  const type = block.needString("type");
  block.ignore("cache_control");
  switch (type) {
    case "text":
      return [{ type: "text", text: block.needString("text") }];
    case "image":
      return [sourceOf(block.needObject("source"), "image/png")];
    case "document": {
      const title = block.string("title");
      const part = sourceOf(block.needObject("source"), "application/pdf");
      return [part.type === "file" && title !== undefined ? { ...part, name: title } : part];
    }
    default:
      block.skip();
      block.notices.say("content-left-out", `A block of type "${type.slice(0, 40)}" was left out.`, block.path);
      return [];
  }
}

function sourceOf(source: RequestObject, type: string): ContentPart {
  switch (source.needString("type")) {
    case "base64":
      return mediaOf(source.string("media_type") ?? type, { data: source.needString("data") });
    case "url":
      return mediaOf(type, { url: source.needString("url") });
    case "text":
      return { type: "text", text: source.needString("data") };
    case "content":
      return { type: "text", text: textIn(blocksOf(source).flatMap(partOf)) };
    default:
      throw new RequestError("elsewhere", source.path, "names a file that only its own vendor holds: send its bytes");
  }
}

function assistantItem(block: RequestObject, calls: CallBook): AnswerItem[] {
  const type = block.needString("type");
  block.ignore("cache_control");
  switch (type) {
    case "text": {
      const text = block.needString("text");
      block.ignore("citations");
      return text === "" ? [] : [{ type: "text", text }];
    }
    case "tool_use": {
      const id = block.needString("id");
      const text = block.argumentsText("input");
      const call = calls.add({ id, name: block.needString("name"), kind: "function", text });
      block.ignore("caller");
      return [{ type: "call", call }];
    }
    case "thinking": {
      const text = block.string("thinking") ?? "";
      if (block.string("signature")) lost(block);
      return text === "" ? [] : [{ type: "reasoning", text }];
    }
    case "redacted_thinking":
      block.skip();
      lost(block);
      return [];
    default:
      block.skip();
      block.notices.say("content-left-out", `A block of type "${type.slice(0, 40)}" was left out.`, block.path);
      return [];
  }
}

function lost(block: RequestObject): void {
  block.notices.say(
    "reasoning-left-out",
    "What signs or encrypts reasoning was left out: only its own vendor can read it.",
    block.path,
  );
}

function toolOf(tool: RequestObject): ToolDefinition | undefined {
  const type = tool.string("type") ?? "custom";
  if (type !== "custom") return undefined;
  tool.ignore("cache_control", "eager_input_streaming", "input_examples");
  return {
    name: tool.needString("name"),
    parameters: tool.json("input_schema") ?? {},
    ...defined({ description: tool.string("description"), strict: tool.boolean("strict") }),
  };
}

function choiceOf(choice: RequestObject | undefined): ToolChoice | undefined {
  if (choice === undefined) return undefined;
  const type = choice.needString("type");
  switch (type) {
    case "auto":
    case "none":
      return { mode: type };
    case "any":
      return { mode: "required" };
    case "tool":
      return { mode: "required", names: [choice.needString("name")] };
    default:
      throw new RequestError("malformed", choice.at("type"), `is "${type.slice(0, 40)}", which is no tool choice`);
  }
}

function parallelOf(choice: RequestObject | undefined): boolean | undefined {
  const disabled = choice?.boolean("disable_parallel_tool_use");
  return disabled === undefined ? undefined : !disabled;
}

function reasoningOf(
  thinking: RequestObject | undefined,
  output: RequestObject | undefined,
): ReasoningRequest | undefined {
  const effort = effortOf(output?.string("effort"), output?.at("effort") ?? "");
  const type = thinking?.needString("type");
  if (thinking === undefined) return effort === undefined ? undefined : { effort };
  const shown = thinking.string("display") !== "omitted";
  if (type === "disabled") return { effort: "none" };
  const budget = thinking.number("budget_tokens");
  return { ...defined({ effort: effort ?? (budget === undefined ? ("medium" as const) : undefined), budget }), shown };
}
