// Gemini generateContent, as SSE or as a streamed JSON array. Owns the reading of its chunks. A call is a part: whole in
// one, or opened by a named part and continued by nameless ones. Calls with the same name are never merged.

import type { FinishReason } from "../events.ts";
import { SessionAssembler } from "../assembly/session-assembler.ts";
import type { SessionSink } from "../assembly/sink.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import { either as field, fields, listOf, pick, stringOf, type Fields } from "./fields.ts";
import { PartialArguments } from "./gemini-arguments.ts";
import { InteractionsReader, isInteraction } from "./gemini-interactions.ts";
import { isLive, LiveReader } from "./gemini-live.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";

/** Words that are not here and not in `ERRORS` are filters (SAFETY, RECITATION, BLOCKLIST, SPII, IMAGE_SAFETY, …). */
const FINISH: Readonly<Record<string, FinishReason | null>> = {
  // Said with and without calls: only these tell which it was.
  STOP: null,
  FUNCTION_CALL: "tool_calls", // the word of a mock server
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  FINISH_REASON_UNSPECIFIED: null,
};

/** The model's own call was refused by the server: there is no part, and often a text in `finishMessage`. */
const REFUSED_CALLS = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
  "MISSING_THOUGHT_SIGNATURE",
]);
const ERRORS = new Set(["OTHER", "IMAGE_OTHER", "NO_IMAGE", "ESCALATION"]);

class GeminiReader implements ProtocolReader {
  /** The call whose arguments come in parts, for each candidate that has one. */
  readonly #partial: Map<unknown, { readonly key: Fields; readonly args: PartialArguments; lost: boolean }> = new Map();

  read(value: unknown, sink: SessionSink): void {
    const chunk = fields(value);
    if (chunk === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    // Some gateways wrap every chunk: {"response": {…}} (Code Assist) — the chunk is inside.
    const inner = fields(chunk["response"]);
    if (inner !== undefined && chunk["candidates"] === undefined) return this.read(inner, sink);
    const failed = reportError(chunk, sink);
    const candidates = listOf(chunk["candidates"]);
    const feedback = fields(field(chunk, "promptFeedback"));
    const usage = fields(field(chunk, "usageMetadata"));
    if (!failed && candidates.length === 0 && feedback === undefined && usage === undefined) {
      if (!reportBareError(chunk, sink)) sink.notice("unknown-frame", "A chunk without candidates was passed over.");
    }
    sink.response(field(chunk, "responseId"), field(chunk, "modelVersion"));
    for (const candidate of candidates) this.#candidate(candidate, sink);
    const blocked = field(feedback ?? {}, "blockReason");
    if (typeof blocked === "string") sink.finish(blocked, "content_filter");
    if (usage !== undefined) sink.usage(usage, field(usage, "promptTokenCount"), field(usage, "candidatesTokenCount"));
  }

  #candidate(candidate: Fields, sink: SessionSink): void {
    const choice = candidate["index"] ?? 0;
    for (const part of listOf(fields(candidate["content"])?.["parts"])) this.#part(choice, part, sink);
    const said = field(candidate, "finishReason");
    if (typeof said !== "string") return;
    const word = said.trim().toUpperCase();
    // Where the wire left the last part unended, a STOP ends it; after any other word the call was cut.
    if (word === "STOP") this.#end(choice, sink);
    if (REFUSED_CALLS.has(word)) {
      const text = stringOf(field(candidate, "finishMessage"));
      sink.notice("provider-malformed-call", `The vendor refused the model's call (${word}): ${text.slice(0, 500)}`);
    }
    sink.finish(
      said,
      REFUSED_CALLS.has(word) || ERRORS.has(word)
        ? "error"
        : Object.hasOwn(FINISH, word)
          ? (FINISH[word] ?? null)
          : "content_filter",
      choice,
    );
  }

  #part(choice: unknown, part: Fields, sink: SessionSink): void {
    const call = fields(field(part, "functionCall"));
    if (call !== undefined) return this.#call(choice, call, part, sink);
    if (part["text"] !== undefined) {
      if (part["thought"] === true) sink.reasoning(part["text"], choice);
      else sink.text(part["text"], choice);
      // A signature on a text part must come back on that part.
      if (field(part, "thoughtSignature") !== undefined) sink.part(part, choice);
      return;
    }
    const code = fields(field(part, "executableCode"));
    const server = fields(field(part, "toolCall"));
    if (code !== undefined) {
      sink.whole({
        choice,
        id: code["id"],
        name: "code_execution",
        args: code["code"],
        kind: "server",
        format: "text",
        echo: { part },
      });
    } else if (server !== undefined) {
      sink.whole({
        choice,
        id: server["id"],
        name: field(server, "toolType"),
        args: server["args"],
        kind: "server",
        echo: { part },
      });
    } else {
      sink.part(part, choice);
    }
  }

  #call(choice: unknown, call: Fields, part: Fields, sink: SessionSink): void {
    const name = stringOf(call["name"]);
    const parts = listOf(field(call, "partialArgs"));
    const more = field(call, "willContinue") === true;
    if (name !== "" && !this.#isOpen(choice, call, more || parts.length > 0)) {
      this.#end(choice, sink);
      const signature = field(part, "thoughtSignature");
      const echo = signature === undefined ? pick(part, "thought") : { thoughtSignature: signature };
      const key = { choice, id: call["id"], name, ...(echo === undefined ? {} : { echo }) };
      if (!more && parts.length === 0) return sink.whole({ ...key, args: call["args"] ?? {} });
      sink.open(key);
      this.#partial.set(choice, { key: { choice, id: call["id"], name }, args: new PartialArguments(), lost: false });
      if (hasFields(call["args"])) sink.append({ choice, id: call["id"] }, call["args"]);
    }
    if (name === "" && hasFields(call["args"])) return this.#update(choice, call["args"], sink);
    this.#continue(choice, parts, sink);
    if (!more && !parts.some((each) => field(each, "willContinue") === true)) this.#end(choice, sink);
  }

  /** Whether a part that says a name again only continues the call that is open. */
  #isOpen(choice: unknown, call: Fields, inParts: boolean): boolean {
    const key = this.#partial.get(choice)?.key;
    return inParts && key !== undefined && key["name"] === call["name"] && key["id"] === call["id"];
  }

  /** Arguments without a name are those of the call before: proxies split a call so. */
  #update(choice: unknown, args: unknown, sink: SessionSink): void {
    const key = this.#partial.get(choice)?.key ?? { choice };
    this.#partial.delete(choice);
    sink.close({ ...key, args });
  }

  #continue(choice: unknown, parts: readonly Fields[], sink: SessionSink): void {
    if (parts.length === 0) return;
    const open = this.#partial.get(choice);
    const args = open?.args ?? new PartialArguments();
    let text = "";
    for (const part of parts) {
      const more = args.add(camel(part));
      if (more === undefined) {
        if (open !== undefined) open.lost = true;
        sink.notice(
          "unknown-frame",
          `A partial argument with the path ${stringOf(part["jsonPath"]).slice(0, 80)} was passed over.`,
        );
      }
      text += more ?? "";
    }
    if (open === undefined)
      sink.append(sink.knows({ choice }) ? { choice } : { choice, item: "orphan" }, text + args.end());
    else if (text !== "") sink.append(open.key, text);
  }

  /** Ends the call that comes in parts, if there is one. */
  #end(choice: unknown, sink: SessionSink): void {
    const open = this.#partial.get(choice);
    if (open === undefined) return;
    this.#partial.delete(choice);
    const { key, args, lost } = open;
    // Where a part could not be taken, an argument is missing: the call is not whole.
    if (args.inOrder) {
      sink.append(key, args.end());
      sink.close(key, lost);
    } else {
      sink.close({ ...key, args: args.text }, lost);
    }
  }
}

function hasFields(args: unknown): boolean {
  const object = fields(args);
  return object !== undefined && Object.keys(object).length > 0;
}

function camel(part: Fields): Fields {
  return part["jsonPath"] !== undefined
    ? part
    : Object.fromEntries(
        Object.entries(part).map(([name, value]) => [
          name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
          value,
        ]),
      );
}

/** What reads the chunks of generateContent. */
export function readGenerateContent(): ProtocolReader {
  return new GeminiReader();
}

/** Reads what the first frame shows it to be: generateContent, a Live session or an interaction. */
class VariantReader implements ProtocolReader {
  #reader: ProtocolReader | undefined;

  get session(): boolean {
    return this.#reader?.session === true;
  }

  read(value: unknown, sink: SessionSink, event?: string): void {
    const frame = fields(value) ?? {};
    if (isLive(frame)) this.#reader ??= new LiveReader(new GeminiReader());
    else if (isInteraction(frame, event)) this.#reader ??= new InteractionsReader();
    const reader: ProtocolReader = (this.#reader ??= new GeminiReader());
    reader.read(value, sink, event);
  }
}

/** Gemini: generateContent (the Gemini API and Vertex), Interactions, and Live. */
export const gemini: Protocol = {
  name: "gemini",
  framing: "sse",
  assembler: SessionAssembler,
  detect(value, event) {
    if (
      isLive(value) ||
      isInteraction(value, event) ||
      Array.isArray(value["candidates"]) ||
      field(value, "promptFeedback") !== undefined ||
      fields(value["response"])?.["candidates"] !== undefined
    )
      return 1;
    if (field(value, "usageMetadata") !== undefined && field(value, "modelVersion") !== undefined) return 0.9;
    return typeof fields(value["error"])?.["status"] === "string" ? 0.5 : 0;
  },
  start: () => new VariantReader(),
};
