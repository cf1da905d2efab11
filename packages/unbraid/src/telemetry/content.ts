// What a model wrote, in the form that OpenTelemetry gives messages. Owns that form; used only where contents are asked for.

import type { FinishReason, StreamEvent } from "../events.ts";

type Part =
  | { readonly type: "text"; content: string }
  | { readonly type: "reasoning"; content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: unknown };

/** Gathers what is said in one response. */
export class Said {
  /** In the order in which it was said. */
  readonly parts: Part[] = [];

  /** Takes one event. */
  add(event: StreamEvent): void {
    if (event.type === "text" || event.type === "reasoning") {
      const last = this.parts.at(-1);
      if (last?.type === event.type) last.content += event.text;
      else this.parts.push({ type: event.type, content: event.text });
    }
    if (event.type === "call.close") {
      const { id, name, arguments: args, argumentsText } = event.call;
      this.parts.push({ type: "tool_call", id, name, arguments: args ?? argumentsText });
    }
  }
}

/** The one message that a response is, as JSON. */
export function outputMessages(said: Said, reason: FinishReason | null): string {
  return JSON.stringify([{ role: "assistant", parts: said.parts, finish_reason: reason ?? "error" }]);
}
