// Requests of OpenAI Chat Completions. Owns their reading.

import type { AnswerItem } from "../turns/answer.ts";
import type { ContentPart } from "../turns/content.ts";
import type { CallResult, CustomFormat, ToolDefinition } from "../turns/turn-form.ts";
import { CallBook } from "./call-book.ts";
import { fileOf, imageOf } from "./media.ts";
import {
  type AnswerFormat,
  defined,
  type NeutralRequest,
  type NeutralTurn,
  TEXT_INPUT,
  type ToolChoice,
} from "./neutral-request.ts";
import { RequestError } from "./request-error.ts";
import { type RequestObject, wrong } from "./request-object.ts";
import { effortOf, toolsOf } from "./shared-fields.ts";

/** Reads a request. */
export function readOpenaiChat(body: RequestObject): NeutralRequest {
  const calls = new CallBook();
  const turns = turnsOf(body, calls);
  const leading = turns.findIndex(({ role }) => role !== "system");
  const system = turns.slice(0, leading === -1 ? turns.length : leading);
  const streamOptions = body.object("stream_options");
  const legacy = legacyTools(body);
  const request: NeutralRequest = {
    stream: body.boolean("stream") ?? false,
    system: system.flatMap((turn) => (turn.role === "system" ? [turn.text] : [])),
    turns: leading === -1 ? [] : turns.slice(leading),
    tools: [...toolsOf(body.objects("tools"), toolOf), ...legacy.tools],
    ...defined({
      model: body.string("model"),
      includeUsage: streamOptions?.boolean("include_usage"),
      toolChoice: choiceOf(body) ?? legacy.choice,
      parallelCalls: body.boolean("parallel_tool_calls"),
      maxTokens: body.number("max_completion_tokens") ?? body.number("max_tokens"),
      temperature: body.number("temperature"),
      topP: body.number("top_p"),
      topK: body.number("top_k"),
      presencePenalty: body.number("presence_penalty"),
      frequencyPenalty: body.number("frequency_penalty"),
      seed: body.number("seed"),
      stop: stopOf(body),
      format: formatOf(body.object("response_format")),
      verbosity: body.string("verbosity"),
      reasoning: reasoningOf(body),
      user: body.string("safety_identifier") ?? body.string("user"),
    }),
  };
  if (body.take("n") === 1) body.ignore("n");
  else if (body.has("n")) body.notices.say("field-left-out", "Only one answer is asked for.", body.at("n"));
  body.ignore("max_tokens", "user");
  streamOptions?.ignore("include_obfuscation");
  streamOptions?.done();
  body.done();
  return request;
}

function turnsOf(body: RequestObject, calls: CallBook): NeutralTurn[] {
  const list = body.list("messages");
  if (list === undefined) throw new RequestError("malformed", body.at("messages"), "is missing");
  const turns: NeutralTurn[] = [];
  for (const placed of list) {
    const message = body.inside(placed);
    const turn = turnOf(message, calls);
    const last = turns.at(-1);
    // One message a result; they belong together.
    if (turn.role === "results" && last?.role === "results") (last.results as CallResult[]).push(...turn.results);
    else turns.push(turn);
  }
  return turns;
}

function turnOf(message: RequestObject, calls: CallBook): NeutralTurn {
  const { path } = message;
  const role = message.needString("role");
  switch (role) {
    case "system":
    case "developer":
      message.ignore("name");
      return { role: "system", text: textsOf(message).join("\n"), path };
    case "user":
      return { role: "user", content: contentOf(message), path };
    case "assistant":
      return { role: "assistant", items: assistantItems(message, calls), path };
    case "tool": {
      const call = calls.answer(message.needString("tool_call_id"), message.at("tool_call_id"));
      return { role: "results", results: [resultOf(call, message)], path };
    }
    case "function": {
      const call = calls.answerByName(message.needString("name"), message.at("name"));
      return { role: "results", results: [resultOf(call, message)], path };
    }
    default:
      throw new RequestError(
        "malformed",
        message.at("role"),
        `is "${role.slice(0, 40)}", which is no role of this vendor's`,
      );
  }
}

function resultOf(call: CallResult["call"], message: RequestObject): CallResult {
  message.ignore("name");
  return { call, content: contentOf(message) };
}

/** Content that is text: a string, or a list of texts. */
function textsOf(message: RequestObject): string[] {
  return contentOf(message).map((part) => {
    if (part.type === "text") return part.text;
    throw new RequestError("malformed", message.at("content"), "must be text here");
  });
}

function contentOf(message: RequestObject): ContentPart[] {
  const content = message.take("content");
  if (content === undefined) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw wrong(message.at("content"), "a string or a list", content);
  return message.objects("content").flatMap((part) => partOf(part));
}

function partOf(part: RequestObject): ContentPart[] {
  const type = part.needString("type");
  switch (type) {
    case "text":
      return [{ type: "text", text: part.needString("text") }];
    case "image_url": {
      const image = part.take("image_url");
      if (typeof image === "string") return [imageOf(image)];
      const object = part.needObject("image_url");
      const read = imageOf(object.needString("url"));
      return [read];
    }
    case "input_audio": {
      const audio = part.needObject("input_audio");
      const format = audio.string("format") ?? "wav";
      return [
        {
          type: "file",
          mediaType: format === "mp3" ? "audio/mpeg" : `audio/${format}`,
          data: audio.needString("data"),
        },
      ];
    }
    case "file": {
      const file = part.needObject("file");
      const name = file.string("filename");
      const data = file.string("file_data");
      if (data !== undefined) return [fileOf(data, name)];
      throw new RequestError(
        "elsewhere",
        part.at("file"),
        "names a file that only its own vendor holds: send its bytes",
      );
    }
    default:
      part.skip();
      part.notices.say("content-left-out", `A part of type "${type.slice(0, 40)}" was left out.`, part.path);
      return [];
  }
}

function assistantItems(message: RequestObject, calls: CallBook): AnswerItem[] {
  const items: AnswerItem[] = [];
  for (const field of ["reasoning_content", "reasoning"]) {
    const text = message.take(field);
    if (typeof text === "string" && text !== "" && items.length === 0) items.push({ type: "reasoning", text, field });
  }
  const content = message.take("content");
  if (typeof content === "string") items.push(...spoken(content, false));
  else if (content !== undefined) items.push(...message.objects("content").flatMap(assistantPart));
  items.push(...spoken(message.string("refusal") ?? "", true));
  for (const call of message.objects("tool_calls")) items.push({ type: "call", call: calls.add(sentCall(call)) });
  const legacy = message.object("function_call");
  if (legacy !== undefined) {
    const sent = {
      id: undefined,
      name: legacy.needString("name"),
      kind: "function",
      text: legacy.string("arguments") ?? "",
    } as const;
    items.push({ type: "call", call: calls.add(sent) });
  }
  message.ignore("name", "annotations");
  return items;
}

function spoken(text: string, refusal: boolean): AnswerItem[] {
  return text === "" ? [] : [{ type: "text", text, ...(refusal ? { refusal: true as const } : {}) }];
}

function assistantPart(part: RequestObject): AnswerItem[] {
  const type = part.needString("type");
  if (type === "refusal") return spoken(part.needString("refusal"), true);
  if (type === "text") return spoken(part.needString("text"), false);
  part.skip();
  part.notices.say("content-left-out", `A part of type "${type.slice(0, 40)}" was left out.`, part.path);
  return [];
}

function sentCall(call: RequestObject): Parameters<CallBook["add"]>[0] {
  const id = call.needString("id");
  const custom = call.object("custom");
  call.ignore("type", "index");
  if (custom !== undefined)
    return { id, name: custom.needString("name"), kind: "custom", text: custom.string("input") ?? "" };
  const named = call.needObject("function");
  const args = named.take("arguments");
  // Some clients hand an object on.
  const text = typeof args === "string" ? args : args === undefined ? "" : JSON.stringify(args);
  const sent = { id, name: named.string("name") ?? "", kind: "function", text } as const;
  return sent;
}

function toolOf(tool: RequestObject): ToolDefinition | undefined {
  const type = tool.string("type") ?? "function";
  if (type === "custom") {
    const custom = tool.needObject("custom");
    return {
      name: custom.needString("name"),
      parameters: TEXT_INPUT,
      custom: customFormat(custom.object("format")),
      ...defined({ description: custom.string("description") }),
    };
  }
  return type === "function" ? functionTool(tool.needObject("function")) : undefined;
}

function functionTool(named: RequestObject): ToolDefinition {
  const definition: ToolDefinition = {
    name: named.needString("name"),
    parameters: named.json("parameters") ?? {},
    ...defined({ description: named.string("description"), strict: named.boolean("strict") }),
  };
  return definition;
}

/** Chat keeps a grammar one level deeper than Responses. */
export function customFormat(format: RequestObject | undefined): CustomFormat {
  if (format?.string("type") !== "grammar") return { type: "text" };
  const grammar = format.object("grammar") ?? format;
  const syntax = grammar.string("syntax") === "regex" ? "regex" : "lark";
  return { type: "grammar", syntax, definition: grammar.needString("definition") };
}

function choiceOf(body: RequestObject): ToolChoice | undefined {
  const choice = body.take("tool_choice");
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return modeOf(choice, body.at("tool_choice"));
  const object = body.needObject("tool_choice");
  const type = object.needString("type");
  if (type === "function" || type === "custom")
    return { mode: "required", names: [object.needObject(type).needString("name")] };
  if (type !== "allowed_tools") {
    body.notices.say(
      "field-left-out",
      `A tool choice of type "${type.slice(0, 40)}" was left out.`,
      body.at("tool_choice"),
    );
    return undefined;
  }
  const allowed = object.needObject("allowed_tools");
  const names = allowed.objects("tools").flatMap((tool) => {
    const named = tool.object("function") ?? tool.object("custom");
    return named === undefined ? [] : [named.needString("name")];
  });
  return { mode: allowed.string("mode") === "required" ? "required" : "auto", names };
}

/** One of the words that Chat and Responses share. */
export function modeOf(word: string, path: string): ToolChoice {
  if (word === "auto" || word === "none" || word === "required") return { mode: word };
  throw new RequestError("malformed", path, `is "${word.slice(0, 40)}", which is no tool choice`);
}

/** `functions` and `function_call`, before there were tools. */
function legacyTools(body: RequestObject): {
  readonly tools: readonly ToolDefinition[];
  readonly choice: ToolChoice | undefined;
} {
  const tools = body.objects("functions").map(functionTool);
  const choice = body.take("function_call");
  if (choice === undefined) return { tools, choice: undefined };
  if (typeof choice === "string") return { tools, choice: modeOf(choice, body.at("function_call")) };
  return { tools, choice: { mode: "required", names: [body.needObject("function_call").needString("name")] } };
}

function stopOf(body: RequestObject): readonly string[] | undefined {
  const stop = body.take("stop");
  return typeof stop === "string" ? [stop] : body.strings("stop");
}

function formatOf(format: RequestObject | undefined): AnswerFormat | undefined {
  if (format === undefined) return undefined;
  return answerFormat(format, (type) => (type === "json_schema" ? format.needObject("json_schema") : undefined));
}

/** The format of an answer, whose schema stands in the object that `schemaIn` gives. */
export function answerFormat(
  format: RequestObject,
  schemaIn: (type: string) => RequestObject | undefined,
): AnswerFormat | undefined {
  const type = format.needString("type");
  if (type === "json_object") return { type: "json" };
  const holder = schemaIn(type);
  if (holder === undefined) return undefined;
  return {
    type: "schema",
    schema: holder.json("schema") ?? {},
    ...defined({
      name: holder.string("name"),
      description: holder.string("description"),
      strict: holder.boolean("strict"),
    }),
  };
}

function reasoningOf(body: RequestObject): NeutralRequest["reasoning"] {
  const effort = effortOf(body.string("reasoning_effort"), body.at("reasoning_effort"));
  return effort === undefined ? undefined : { effort };
}
