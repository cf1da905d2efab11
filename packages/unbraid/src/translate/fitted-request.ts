// A request whose ids, names and kinds of calls the vendor that it goes to allows. Owns that change; the rest stays.

import { isClientKind } from "../kinds.ts";
import { fitIdentifier, IDENTIFIER_RULES } from "../encode/identifiers.ts";
import type { AnswerItem } from "../turns/answer.ts";
import type { ToolDefinition } from "../turns/turn-form.ts";
import type { ToolCall } from "../events.ts";
import type { NeutralRequest, NeutralTurn, RequestWire } from "./neutral-request.ts";
import type { TranslateNotices } from "./notices.ts";

/** Vendors that have tools of free text. */
const HAS_CUSTOM: ReadonlySet<RequestWire> = new Set<RequestWire>(["openai-chat", "openai-responses"]);

/** The request as a vendor may have it. */
export function fittedRequest(request: NeutralRequest, wire: RequestWire, notices: TranslateNotices): NeutralRequest {
  const fit = new Fit(wire, notices);
  const { toolChoice } = request;
  return {
    ...request,
    tools: request.tools.map((tool) => fit.tool(tool)),
    turns: request.turns.map((turn) => fit.turn(turn)),
    ...(toolChoice?.names === undefined
      ? {}
      : { toolChoice: { ...toolChoice, names: toolChoice.names.map((name) => fit.name(name)) } }),
  };
}

class Fit {
  readonly #wire: RequestWire;
  readonly #notices: TranslateNotices;
  readonly #calls: Map<string, ToolCall> = new Map();

  constructor(wire: RequestWire, notices: TranslateNotices) {
    this.#wire = wire;
    this.#notices = notices;
  }

  name(name: string): string {
    if (name === "") return name;
    const fitting = fitIdentifier(name, IDENTIFIER_RULES[this.#wire].names);
    if (fitting !== name)
      this.#notices.say(
        "name-mapped",
        `The name "${name.slice(0, 100)}" is not one that this vendor allows; it goes as "${fitting}".`,
      );
    return fitting;
  }

  tool(tool: ToolDefinition): ToolDefinition {
    const { custom, ...rest } = tool;
    const name = this.name(tool.name);
    if (custom === undefined || HAS_CUSTOM.has(this.#wire)) return { ...tool, name };
    this.#notices.say(
      "custom-as-function",
      `The tool "${name}" takes free text; this vendor gets a function of one string for it.`,
    );
    if (custom.type === "text") return { ...rest, name };
    const grammar = `Its input must be written in this ${custom.syntax} grammar:\n${custom.definition}`;
    return {
      ...rest,
      name,
      description: [rest.description, grammar].filter((text) => text !== undefined).join("\n\n"),
    };
  }

  turn(turn: NeutralTurn): NeutralTurn {
    switch (turn.role) {
      case "assistant":
        return { ...turn, items: turn.items.map((item) => this.#item(item)) };
      case "results":
        return { ...turn, results: turn.results.map((result) => ({ ...result, call: this.#call(result.call) })) };
      default:
        return turn;
    }
  }

  #item(item: AnswerItem): AnswerItem {
    return item.type === "call" && isClientKind(item.call.kind) ? { type: "call", call: this.#call(item.call) } : item;
  }

  #call(call: ToolCall): ToolCall {
    const known = this.#calls.get(call.key);
    if (known !== undefined) return known;
    const fitting = this.#kind({ ...call, id: this.#id(call.id), name: this.name(call.name) });
    this.#calls.set(call.key, fitting);
    return fitting;
  }

  #id(id: string): string {
    const fitting = fitIdentifier(id, IDENTIFIER_RULES[this.#wire].ids);
    if (fitting !== id)
      this.#notices.say("id-mapped", `The id "${id.slice(0, 100)}" is not one that this vendor allows.`);
    return fitting;
  }

  #kind(call: ToolCall): ToolCall {
    if (call.kind !== "custom" || HAS_CUSTOM.has(this.#wire)) return call;
    const value = { input: call.argumentsText };
    return { ...call, kind: "function", argumentsText: JSON.stringify(value), arguments: value };
  }
}
