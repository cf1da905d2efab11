// Gemini Interactions: SSE, steps instead of parts. Owns the reading of its events and of a whole (non-streaming)
// interaction. Steps are keyed by `index` within their hop: a long interaction is continued in further hops on the same
// wire, each of which counts from 0 again.

import type { CallKind, FinishReason } from "../events.ts";
import type { CallDelta, SessionSink } from "../assembly/sink.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import { fields, listOf, pick, stringOf, type Fields } from "./fields.ts";
import type { ProtocolReader } from "./protocol.ts";

/** `completed` is said of interactions with calls too, so that the calls decide. Statuses that are not here end nothing. */
const STATUS: Readonly<Record<string, FinishReason | null>> = {
  completed: null,
  requires_action: "tool_calls",
  incomplete: "length",
  budget_exceeded: "length",
  failed: "error",
  cancelled: "cancelled",
};

/** Statuses of an interaction that goes on, in this hop or in another. */
const GOES_ON = new Set(["in_progress", "queued", "requires_continuation"]);

/** See the file's head. */
export class InteractionsReader implements ProtocolReader {
  #hop = 0;
  /** A step has begun in this hop. */
  #begun = false;
  /** The open step that is no call, to be echoed whole, and its index. */
  #step: { readonly index: unknown; step: Fields } | undefined;

  read(value: unknown, sink: SessionSink, event?: string): void {
    const frame = fields(value);
    if (frame === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    const type = stringOf(frame["event_type"]) || stringOf(event);
    const item = `${this.#hop}:${String(frame["index"])}`;
    switch (type) {
      case "step.start":
        this.#begun = true;
        return this.#start(item, frame["index"], fields(frame["step"]) ?? {}, sink);
      case "step.delta":
        return this.#delta(item, frame["index"], fields(frame["delta"]) ?? {}, sink);
      case "step.stop":
        return this.#stop(item, frame["index"], sink);
      case "error":
        if (!reportError(frame, sink)) reportBareError(frame, sink);
        return;
      default:
        if (type.startsWith("interaction.")) return this.#lifecycle(type, frame, sink);
        if (frame["object"] === "interaction") return whole(frame, sink);
        if (!reportError(frame, sink)) sink.notice("unknown-frame", `An event "${type.slice(0, 40)}" was passed over.`);
    }
  }

  #lifecycle(type: string, frame: Fields, sink: SessionSink): void {
    const interaction = fields(frame["interaction"]) ?? {};
    sink.response(interaction["id"], interaction["model"], "interactions");
    if (type === "interaction.created" && this.#begun) {
      this.#hop++;
      this.#begun = false;
    }
    if (type === "interaction.completed" || type === "interaction.requires_action") {
      end(interaction, type === "interaction.completed" ? "completed" : "requires_action", sink);
    }
  }

  #start(item: string, index: unknown, step: Fields, sink: SessionSink): void {
    const call = callOf(item, step);
    if (call === undefined) {
      this.#step = { index, step };
      for (const part of listOf(step["content"])) sink.text(part["text"]);
      return;
    }
    // A hop that was resumed amid its output writes it anew, under the same ids: what was cut is void.
    if (sink.knows({ id: call.id })) sink.retract("superseded-by-restart", { id: call.id });
    sink.open(call);
    // `arguments` is {} where deltas follow.
    if (Object.keys(fields(step["arguments"]) ?? {}).length > 0) sink.append({ item }, step["arguments"]);
  }

  #delta(item: string, index: unknown, delta: Fields, sink: SessionSink): void {
    const type = stringOf(delta["type"]);
    if (type === "text") return sink.text(delta["text"]);
    // The arguments of the server's own tools come as an object, in one delta of the step's type.
    if (type === "arguments_delta" || type.endsWith("_call")) return sink.append({ item }, delta["arguments"]);
    if (type === "thought_summary") sink.reasoning(fields(delta["content"])?.["text"]);
    const open = this.#step;
    if (open !== undefined && open.index === index) open.step = grown(open.step, type, delta);
  }

  #stop(item: string, index: unknown, sink: SessionSink): void {
    const open = this.#step;
    if (open === undefined || open.index !== index) return sink.close({ item });
    this.#step = undefined;
    if (isEchoed(open.step)) sink.part(open.step);
  }
}

/** Thoughts go back with their signature and the results of the server's tools as they came; text needs no part. */
function isEchoed(step: Fields): boolean {
  return step["type"] !== "model_output" && step["type"] !== "user_input";
}

function grown(step: Fields, type: string, delta: Fields): Fields {
  const { type: _, ...rest } = delta;
  if (type !== "thought_summary") return { ...step, ...rest };
  return { ...step, summary: [...listOf(step["summary"]), ...listOf(delta["content"])] };
}

function callOf(item: string | undefined, step: Fields): CallDelta | undefined {
  const type = stringOf(step["type"]);
  if (!type.endsWith("_call")) return undefined;
  const kind: CallKind = type === "function_call" ? "function" : type === "mcp_server_tool_call" ? "mcp" : "server";
  const { arguments: _, ...own } = step;
  // What the server ran goes back as the step it was.
  const echo =
    kind !== "function" ? { step: own } : stringOf(step["signature"]) === "" ? undefined : pick(step, "signature");
  return { item, id: step["id"], name: step["name"] ?? type, kind, ...(echo === undefined ? {} : { echo }) };
}

function end(interaction: Fields, otherwise: string, sink: SessionSink): void {
  const usage = fields(interaction["usage"]);
  if (usage !== undefined) sink.usage(usage, usage["total_input_tokens"], usage["total_output_tokens"]);
  const status = stringOf(interaction["status"]) || otherwise;
  if (GOES_ON.has(status)) return;
  sink.finish(status, STATUS[status] ?? null);
  sink.end();
}

function whole(interaction: Fields, sink: SessionSink): void {
  sink.response(interaction["id"], interaction["model"], "interactions");
  for (const step of listOf(interaction["steps"] ?? interaction["outputs"])) {
    const call = callOf(undefined, step);
    if (call !== undefined) sink.whole({ ...call, args: step["arguments"] });
    else if (isEchoed(step) && step["type"] !== "text") sink.part(step);
    else for (const part of step["type"] === "text" ? [step] : listOf(step["content"])) sink.text(part["text"]);
  }
  end(interaction, "completed", sink);
}

/** Whether a frame is one of Interactions. */
export function isInteraction(frame: Fields, event?: string): boolean {
  return (
    /^(?:interaction|step)\./.test(stringOf(frame["event_type"]) || stringOf(event)) ||
    frame["object"] === "interaction"
  );
}
