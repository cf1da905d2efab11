// Requests of OpenAI Responses. Owns their reading.

import type { AnswerItem } from "../turns/answer.ts";
import type { ContentPart } from "../turns/content.ts";
import type { CallResult, ToolDefinition } from "../turns/turn-form.ts";
import { CallBook } from "./call-book.ts";
import { fileAt, fileOf, imageOf } from "./media.ts";
import { defined, type NeutralRequest, type NeutralTurn, TEXT_INPUT, type ToolChoice } from "./neutral-request.ts";
import { answerFormat, customFormat, modeOf } from "./read-openai-chat.ts";
import { RequestError } from "./request-error.ts";
import { type RequestObject, wrong } from "./request-object.ts";
import { effortOf, toolsOf } from "./shared-fields.ts";

/** What only the vendor's server holds: without it the request would be another one. */
const ELSEWHERE = ["previous_response_id", "conversation", "prompt"];

/** Reads a request. */
export function readOpenaiResponses(body: RequestObject): NeutralRequest {
  for (const name of ELSEWHERE) {
    if (body.has(name))
      throw new RequestError(
        "elsewhere",
        body.at(name),
        "names what only its own vendor's server holds: send the whole input",
      );
  }
  const instructions = body.string("instructions");
  const { system, turns } = inputOf(body);
  const text = body.object("text");
  const format = text?.object("format");
  const request: NeutralRequest = {
    stream: body.boolean("stream") ?? false,
    system: [...(instructions === undefined ? [] : [instructions]), ...system],
    turns,
    tools: toolsOf(body.objects("tools"), toolOf),
    ...defined({
      model: body.string("model"),
      toolChoice: choiceOf(body),
      parallelCalls: body.boolean("parallel_tool_calls"),
      maxTokens: body.number("max_output_tokens"),
      temperature: body.number("temperature"),
      topP: body.number("top_p"),
      format:
        format === undefined
          ? undefined
          : answerFormat(format, (type) => (type === "json_schema" ? format : undefined)),
      verbosity: text?.string("verbosity"),
      reasoning: reasoningOf(body.object("reasoning")),
      user: body.string("safety_identifier") ?? body.string("user"),
    }),
  };
  body.ignore("store", "include", "user", "stream_options");
  body.done();
  return request;
}

function inputOf(body: RequestObject): { readonly system: string[]; readonly turns: NeutralTurn[] } {
  const input = body.take("input");
  if (input === undefined) throw new RequestError("malformed", body.at("input"), "is missing");
  if (typeof input === "string") {
    return { system: [], turns: [{ role: "user", content: [{ type: "text", text: input }], path: body.at("input") }] };
  }
  const reader = new ItemReader();
  for (const item of body.objects("input")) {
    reader.read(item);
  }
  const leading = reader.turns.findIndex(({ role }) => role !== "system");
  const before = leading === -1 ? reader.turns : reader.turns.slice(0, leading);
  return {
    system: before.flatMap((turn) => (turn.role === "system" ? [turn.text] : [])),
    turns: leading === -1 ? [] : reader.turns.slice(leading),
  };
}

/** Puts items together to turns: what the model said in one go, and the outputs that answer it. */
class ItemReader {
  readonly turns: NeutralTurn[] = [];
  readonly #calls: CallBook = new CallBook();

  read(item: RequestObject): void {
    const type = item.string("type") ?? "message";
    switch (type) {
      case "message":
        return this.#message(item);
      case "function_call":
      case "custom_tool_call":
        return this.#call(item, type === "custom_tool_call");
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#output(item);
      case "reasoning":
        return this.#reasoning(item);
      case "item_reference":
        throw new RequestError(
          "elsewhere",
          item.path,
          "refers to an item that only its own vendor holds: send the item",
        );
      default:
        item.skip();
        item.notices.say("content-left-out", `An item of type "${type.slice(0, 40)}" was left out.`, item.path);
    }
  }

  #message(item: RequestObject): void {
    const role = item.needString("role");
    const { path } = item;
    item.ignore("id", "status", "phase");
    switch (role) {
      case "system":
      case "developer":
        this.turns.push({ role: "system", text: textIn(contentOf(item)), path });
        return;
      case "user":
        this.turns.push({ role: "user", content: contentOf(item), path });
        return;
      case "assistant":
        return this.#say(assistantItems(item), path);
      default:
        throw new RequestError(
          "malformed",
          item.at("role"),
          `is "${role.slice(0, 40)}", which is no role of this vendor's`,
        );
    }
  }

  #call(item: RequestObject, custom: boolean): void {
    const call = this.#calls.add({
      id: item.needString("call_id"),
      name: item.string("name") ?? "",
      kind: custom ? "custom" : "function",
      text: item.string(custom ? "input" : "arguments") ?? "",
    });
    item.ignore("id", "status", "type");
    this.#say([{ type: "call", call }], item.path);
  }

  #output(item: RequestObject): void {
    const call = this.#calls.answer(item.needString("call_id"), item.at("call_id"));
    const output = item.take("output");
    const content: ContentPart[] =
      typeof output === "string" ? [{ type: "text", text: output }] : item.objects("output").flatMap(partOf);
    item.ignore("id", "status", "type");
    const last = this.turns.at(-1);
    if (last?.role === "results") (last.results as CallResult[]).push({ call, content });
    else this.turns.push({ role: "results", results: [{ call, content }], path: item.path });
  }

  /** Its words may go on; what is encrypted in it is nothing to another vendor. */
  #reasoning(item: RequestObject): void {
    const texts = [...item.objects("summary"), ...item.objects("content")].map((part) => part.string("text") ?? "");
    const text = texts.join("");
    item.ignore("id", "status", "type");
    if (item.take("encrypted_content") !== undefined)
      item.notices.say(
        "reasoning-left-out",
        "Encrypted reasoning was left out: only its own vendor can read it.",
        item.at("encrypted_content"),
      );
    if (text !== "") this.#say([{ type: "reasoning", text }], item.path);
  }

  #say(items: readonly AnswerItem[], path: string): void {
    const last = this.turns.at(-1);
    if (last?.role === "assistant") (last.items as AnswerItem[]).push(...items);
    else this.turns.push({ role: "assistant", items: [...items], path });
  }
}

function textIn(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function contentOf(item: RequestObject): ContentPart[] {
  const content = item.take("content");
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw wrong(item.at("content"), "a string or a list", content);
  return item.objects("content").flatMap(partOf);
}

function partOf(part: RequestObject): ContentPart[] {
  const type = part.needString("type");
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      part.ignore("annotations", "logprobs");
      return [{ type: "text", text: part.needString("text") }];
    case "input_image": {
      const url = part.string("image_url");
      if (part.string("detail") === "auto") part.ignore("detail");
      if (url !== undefined) return [imageOf(url)];
      break;
    }
    case "input_file": {
      const name = part.string("filename");
      const data = part.string("file_data");
      const url = part.string("file_url");
      if (data !== undefined) return [fileOf(data, name)];
      if (url !== undefined) return [fileAt(url, name)];
      break;
    }
    default:
      part.skip();
      part.notices.say("content-left-out", `A part of type "${type.slice(0, 40)}" was left out.`, part.path);
      return [];
  }
  throw new RequestError("elsewhere", part.path, "names a file that only its own vendor holds: send its bytes");
}

function assistantItems(item: RequestObject): AnswerItem[] {
  const content = item.take("content");
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return item.objects("content").flatMap((part): AnswerItem[] => {
    const type = part.string("type");
    if (type === "refusal") return [{ type: "text", text: part.needString("refusal"), refusal: true }];
    return partOf(part).flatMap((each) =>
      each.type === "text" && each.text !== "" ? [{ type: "text", text: each.text }] : [],
    );
  });
}

function toolOf(tool: RequestObject): ToolDefinition | undefined {
  const type = tool.needString("type");
  if (type !== "function" && type !== "custom") return undefined;
  const shared = { name: tool.needString("name"), ...defined({ description: tool.string("description") }) };
  if (type === "custom") return { ...shared, parameters: TEXT_INPUT, custom: customFormat(tool.object("format")) };
  return { ...shared, parameters: tool.json("parameters") ?? {}, ...defined({ strict: tool.boolean("strict") }) };
}

function choiceOf(body: RequestObject): ToolChoice | undefined {
  const choice = body.take("tool_choice");
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return modeOf(choice, body.at("tool_choice"));
  const object = body.needObject("tool_choice");
  const type = object.needString("type");
  if (type === "function" || type === "custom") return { mode: "required", names: [object.needString("name")] };
  if (type === "allowed_tools") {
    const names = object.objects("tools").flatMap((tool) => tool.string("name") ?? []);
    return { mode: object.string("mode") === "required" ? "required" : "auto", names };
  }
  body.notices.say(
    "field-left-out",
    `A tool choice of type "${type.slice(0, 40)}" was left out.`,
    body.at("tool_choice"),
  );
  return undefined;
}

function reasoningOf(reasoning: RequestObject | undefined): NeutralRequest["reasoning"] {
  if (reasoning === undefined) return undefined;
  const effort = effortOf(reasoning.string("effort"), reasoning.at("effort"));
  const shown = (reasoning.string("summary") ?? reasoning.string("generate_summary")) !== undefined;
  return effort === undefined && !shown ? undefined : { ...defined({ effort }), ...(shown ? { shown } : {}) };
}
