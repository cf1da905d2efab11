// Requests of Gemini's generateContent. Owns their reading, in camelCase and in snake_case.

import type { AnswerItem } from "../turns/answer.ts";
import type { ContentPart } from "../turns/content.ts";
import type { CallResult, JsonSchema, ToolDefinition } from "../turns/turn-form.ts";
import { CallBook } from "./call-book.ts";
import { mediaOf } from "./media.ts";
import {
  type AnswerFormat,
  defined,
  type NeutralRequest,
  type NeutralTurn,
  type ReasoningRequest,
  type ToolChoice,
} from "./neutral-request.ts";
import { RequestError } from "./request-error.ts";
import { type RequestObject, wrong } from "./request-object.ts";
import { effortOf, toolsOf, userTurns } from "./shared-fields.ts";

/** Reads a request. Model and `stream` stand in the address of this vendor's, and are given by the caller. */
export function readGemini(body: RequestObject): NeutralRequest {
  if (body.has("cachedContent"))
    throw new RequestError(
      "elsewhere",
      body.at("cachedContent"),
      "names what only its own vendor holds: send the whole contents",
    );
  const calls = new CallBook();
  const config = body.object("generationConfig");
  const request: NeutralRequest = {
    stream: body.boolean("stream") ?? false,
    system: systemOf(body),
    turns: contentsOf(body).flatMap((content) => turnsOf(content, calls)),
    tools: toolsOf(body.objects("tools").flatMap(declarations), toolOf),
    ...defined({
      model: body.string("model"),
      toolChoice: choiceOf(body.object("toolConfig")),
      ...(config === undefined ? {} : sampling(config)),
    }),
  };
  body.done();
  return request;
}

function sampling(config: RequestObject): Partial<NeutralRequest> {
  if (config.take("candidateCount") !== undefined && config.take("candidateCount") !== 1)
    config.notices.say("field-left-out", "Only one answer is asked for.", config.at("candidateCount"));
  return defined({
    maxTokens: config.number("maxOutputTokens"),
    temperature: config.number("temperature"),
    topP: config.number("topP"),
    topK: config.number("topK"),
    presencePenalty: config.number("presencePenalty"),
    frequencyPenalty: config.number("frequencyPenalty"),
    seed: config.number("seed"),
    stop: config.strings("stopSequences"),
    format: formatOf(config),
    reasoning: reasoningOf(config.object("thinkingConfig")),
  });
}

/** The SDKs send a list; the REST API takes one content too. */
function contentsOf(body: RequestObject): readonly RequestObject[] {
  const contents = body.take("contents");
  if (contents === undefined) throw new RequestError("malformed", body.at("contents"), "is missing");
  if (typeof contents === "string")
    return [body.inside({ value: { parts: [{ text: contents }] }, path: body.at("contents") })];
  return Array.isArray(contents) ? body.objects("contents") : [body.needObject("contents")];
}

function systemOf(body: RequestObject): readonly string[] {
  const system = body.take("systemInstruction");
  if (system === undefined) return [];
  if (typeof system === "string") return [system];
  return partsOf(body.needObject("systemInstruction")).flatMap((part) => part.string("text") ?? []);
}

function partsOf(content: RequestObject): readonly RequestObject[] {
  const parts = content.take("parts");
  if (parts === undefined) return [];
  return Array.isArray(parts) ? content.objects("parts") : [content.needObject("parts")];
}

function turnsOf(content: RequestObject, calls: CallBook): NeutralTurn[] {
  const { path } = content;
  const role = content.string("role") ?? "user";
  if (role === "model") {
    const items = partsOf(content).flatMap((part) => modelItem(part, calls));
    return [{ role: "assistant", items, path }];
  }
  if (role !== "user" && role !== "function")
    throw new RequestError(
      "malformed",
      content.at("role"),
      `is "${role.slice(0, 40)}", which is no role of this vendor's`,
    );
  const said: ContentPart[] = [];
  const results: CallResult[] = [];
  for (const part of partsOf(content)) {
    const response = part.object("functionResponse");
    if (response === undefined) said.push(...partOf(part));
    else results.push(resultOf(response, calls));
  }
  return userTurns(results, said, path);
}

function partOf(part: RequestObject): ContentPart[] {
  const text = part.string("text");
  if (text !== undefined) return [{ type: "text", text }];
  const inline = part.object("inlineData");
  if (inline !== undefined)
    return [mediaOf(inline.string("mimeType") ?? "application/octet-stream", { data: inline.needString("data") })];
  const file = part.object("fileData");
  if (file !== undefined)
    return [mediaOf(file.string("mimeType") ?? "application/octet-stream", { url: file.needString("fileUri") })];
  part.skip();
  part.notices.say("content-left-out", "A part that is neither text nor media was left out.", part.path);
  return [];
}

/** `output` or `error` is what the tool said; without either the whole object is. */
function resultOf(response: RequestObject, calls: CallBook): CallResult {
  const id = response.string("id");
  const call =
    id === undefined
      ? calls.answerByName(response.needString("name"), response.path)
      : calls.answer(id, response.at("id"));
  const given = response.json("response") ?? {};
  const isError = Object.hasOwn(given, "error") && !Object.hasOwn(given, "output");
  const said = isError ? given["error"] : Object.hasOwn(given, "output") ? given["output"] : given;
  const media = response.objects("parts").flatMap((part) => partOf(part));
  const words = typeof said === "string" ? said : JSON.stringify(said);
  response.ignore("name", "scheduling", "willContinue");
  return { call, content: [{ type: "text", text: words }, ...media], ...(isError ? { isError: true as const } : {}) };
}

function modelItem(part: RequestObject, calls: CallBook): AnswerItem[] {
  const items = readModelItem(part, calls);
  if (part.take("thoughtSignature") !== undefined)
    part.notices.say(
      "reasoning-left-out",
      "A signature was left out: only its own vendor can read it.",
      part.at("thoughtSignature"),
    );
  return items;
}

function readModelItem(part: RequestObject, calls: CallBook): AnswerItem[] {
  const thought = part.boolean("thought") === true;
  const text = part.string("text");
  if (text !== undefined) return text === "" ? [] : [{ type: thought ? "reasoning" : "text", text }];
  const call = part.object("functionCall");
  if (call === undefined) {
    part.skip();
    part.notices.say("content-left-out", "A part that is neither text nor a call was left out.", part.path);
    return [];
  }
  const args = JSON.stringify(call.json("args") ?? {});
  const added = calls.add({ id: call.string("id"), name: call.needString("name"), kind: "function", text: args });
  return [{ type: "call", call: added }];
}

/** Each entry of `tools` declares any number of functions, or one of the vendor's own tools. */
function declarations(tool: RequestObject): readonly RequestObject[] {
  const list = tool.objects("functionDeclarations");
  if (list.length === 0) return [tool];
  return list;
}

function toolOf(tool: RequestObject): ToolDefinition | undefined {
  if (!tool.has("name")) return undefined;
  const schema = tool.json("parametersJsonSchema");
  const parameters = tool.json("parameters");
  tool.ignore("response", "responseJsonSchema", "behavior");
  return {
    name: tool.needString("name"),
    parameters: schema ?? (parameters === undefined ? {} : (jsonSchema(parameters) as JsonSchema)),
    ...defined({ description: tool.string("description") }),
  };
}

/** The dialect of `parameters` as JSON Schema: types in small letters, `nullable` as a type of its own. */
function jsonSchema(schema: unknown, depth = 0): unknown {
  if (depth > 100 || typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((each) => jsonSchema(each, depth + 1));
  const { type, nullable, ...rest } = schema as Record<string, unknown>;
  const fields = Object.entries(rest).map(([name, value]) =>
    name === "properties"
      ? [name, properties(value, depth)]
      : [name, isSchema(name) ? jsonSchema(value, depth + 1) : value],
  );
  const small = typeof type === "string" ? type.toLowerCase() : type;
  const typed =
    small === undefined ? [] : [["type", nullable === true && typeof small === "string" ? [small, "null"] : small]];
  return Object.fromEntries([...typed, ...fields]) as unknown;
}

function properties(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonSchema(each, depth + 1)]));
}

function isSchema(name: string): boolean {
  return name === "items" || name === "anyOf" || name === "prefixItems" || name === "additionalProperties";
}

function choiceOf(config: RequestObject | undefined): ToolChoice | undefined {
  const calling = config?.object("functionCallingConfig");
  if (config === undefined || calling === undefined) return undefined;
  const mode = (calling.string("mode") ?? "AUTO").toUpperCase();
  const names = calling.strings("allowedFunctionNames");
  calling.ignore("streamFunctionCallArguments");
  const only = names === undefined || names.length === 0 ? {} : { names };
  switch (mode) {
    case "ANY":
      return { mode: "required", ...only };
    case "NONE":
      return { mode: "none" };
    case "AUTO":
    case "VALIDATED":
    case "MODE_UNSPECIFIED":
      return { mode: "auto", ...only };
    default:
      throw new RequestError("malformed", calling.at("mode"), `is "${mode.slice(0, 40)}", which is no mode`);
  }
}

function formatOf(config: RequestObject): AnswerFormat | undefined {
  const type = config.string("responseMimeType");
  const schema = config.json("responseJsonSchema") ?? config.json("responseSchema");
  if (schema !== undefined) return { type: "schema", schema: jsonSchema(schema) as JsonSchema };
  if (type === "application/json") return { type: "json" };
  if (type !== undefined && type !== "text/plain")
    throw wrong(config.at("responseMimeType"), "text/plain or application/json", type);
  return undefined;
}

function reasoningOf(thinking: RequestObject | undefined): ReasoningRequest | undefined {
  if (thinking === undefined) return undefined;
  const level = thinking.string("thinkingLevel");
  const budget = thinking.number("thinkingBudget");
  const shown = thinking.boolean("includeThoughts");
  // -1 leaves it to the model.
  const limit = budget === undefined || budget < 0 ? undefined : budget;
  const effort =
    limit === 0
      ? ("none" as const)
      : effortOf(level === "THINKING_LEVEL_UNSPECIFIED" ? undefined : level, thinking.at("thinkingLevel"));
  return defined({ effort, budget: limit === 0 ? undefined : limit, shown });
}
