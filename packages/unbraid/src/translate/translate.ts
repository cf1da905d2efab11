// A request of one vendor as another vendor's. Owns the way through the model in the middle, and the addresses.

import { tooDeep } from "../wire-values.ts";
import { fittedRequest } from "./fitted-request.ts";
import type { NeutralRequest, RequestWire } from "./neutral-request.ts";
import { TranslateNotices, type TranslateNotice } from "./notices.ts";
import { readAnthropic } from "./read-anthropic.ts";
import { readGemini } from "./read-gemini.ts";
import { readOpenaiChat } from "./read-openai-chat.ts";
import { readOpenaiResponses } from "./read-openai-responses.ts";
import { RequestError } from "./request-error.ts";
import { RequestObject } from "./request-object.ts";
import { writeAnthropic } from "./write-anthropic.ts";
import { writeGemini } from "./write-gemini.ts";
import { writeOpenaiChat } from "./write-openai-chat.ts";
import { writeOpenaiResponses } from "./write-openai-responses.ts";
import type { WriteContext } from "./writing.ts";

const READERS: Readonly<Record<RequestWire, (body: RequestObject) => NeutralRequest>> = {
  "openai-chat": readOpenaiChat,
  "openai-responses": readOpenaiResponses,
  anthropic: readAnthropic,
  gemini: readGemini,
};

const WRITERS: Readonly<
  Record<RequestWire, (request: NeutralRequest, context: WriteContext) => Record<string, unknown>>
> = {
  "openai-chat": writeOpenaiChat,
  "openai-responses": writeOpenaiResponses,
  anthropic: writeAnthropic,
  gemini: writeGemini,
};

/** What reading a request may be told. */
export interface ReadRequestOptions {
  /** The model, where it stands in the address and not in the body (Gemini). */
  readonly model?: string;
  /** Whether the answer is to be streamed, where the address says so (Gemini). */
  readonly stream?: boolean;
}

/** What writing a request may be told. */
export interface WriteRequestOptions {
  /** The model to ask, where it is another one than the client named. */
  readonly model?: string;
  /**
   * Chat only: the field in which the reasoning of earlier turns goes back (`reasoning_content` for DeepSeek, Kimi, GLM).
   * Absent: it is left out, for OpenAI and others refuse the field.
   */
  readonly reasoningField?: "reasoning_content" | "reasoning";
  /** Anthropic only, which wants a limit: most tokens of an answer where the request sets none. Default 8192. */
  readonly defaultMaxTokens?: number;
}

/** A request that was read. */
export interface ReadRequest {
  /** What it asks. */
  readonly request: NeutralRequest;
  /** What the model in the middle does not know, in order; at most 200. */
  readonly notices: readonly TranslateNotice[];
}

/** A request that was written. */
export interface WrittenRequest {
  /** The body, plain JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What the vendor's request cannot say, in order; at most 200. */
  readonly notices: readonly TranslateNotice[];
}

/** What a translation may be told. */
export interface TranslateOptions extends ReadRequestOptions {
  /** The client's vendor. */
  readonly from: RequestWire;
  /** The vendor that is asked. */
  readonly to: RequestWire;
  /** What writing may be told. `model`: the model to ask. */
  readonly write?: WriteRequestOptions;
}

/** A translated request, and what the way back needs. */
export interface TranslatedRequest extends WrittenRequest {
  /** The model that is asked; undefined where the request named none. */
  readonly model: string | undefined;
  /** The model as the client named it: what the answer should say. */
  readonly clientModel: string | undefined;
  /** Whether the answer is to be streamed. */
  readonly stream: boolean;
  /** Chat clients only: they asked for token counts at the end of the stream. */
  readonly includeUsage: boolean;
  /** The path and query of the address to ask, from the vendor's base. */
  readonly path: string;
  /** Tools that the client declared as free text, and that went as functions: `customTools` of the encoders. */
  readonly customTools: readonly string[];
}

/**
 * Reads a request.
 *
 * @param wire Whose request it is.
 * @param body Its JSON value. Anything may be in it.
 * @throws RequestError where it cannot be read; it says where.
 * @example
 * const { request } = readRequest("anthropic", JSON.parse(text));
 */
export function readRequest(wire: RequestWire, body: unknown, options: ReadRequestOptions = {}): ReadRequest {
  if (typeof body === "object" && body !== null && tooDeep(body))
    throw new RequestError("malformed", "", "is nested too deep");
  const notices = new TranslateNotices();
  const request = READERS[wire](new RequestObject({ value: body, path: "" }, notices, wire === "gemini"));
  const { model = request.model, stream = request.stream } = options;
  return { request: { ...request, stream, ...(model === undefined ? {} : { model }) }, notices: notices.list };
}

/**
 * Writes a request.
 *
 * @param wire Whose request it is to be.
 * @param request What `readRequest` gave.
 * @throws RequestError where this vendor cannot be asked that at all.
 * @example
 * const { body } = writeRequest("gemini", request);
 */
export function writeRequest(
  wire: RequestWire,
  request: NeutralRequest,
  options: WriteRequestOptions = {},
): WrittenRequest {
  const notices = new TranslateNotices();
  const { model = request.model, reasoningField, defaultMaxTokens = 8192 } = options;
  const asked = { ...request, ...(model === undefined ? {} : { model }) };
  const context = { notices, defaultMaxTokens, ...(reasoningField === undefined ? {} : { reasoningField }) };
  return { body: WRITERS[wire](fittedRequest(asked, wire, notices), context), notices: notices.list };
}

/**
 * A request of one vendor as another vendor's.
 *
 * @param body The request's JSON value. Anything may be in it.
 * @param options See {@link TranslateOptions}.
 * @throws RequestError where it cannot be read or asked; it says where.
 * @example
 * const { body, path, notices } = translateRequest(JSON.parse(text), { from: "anthropic", to: "openai-chat" });
 * await fetch(base + path, { method: "POST", body: JSON.stringify(body) });
 */
export function translateRequest(body: unknown, options: TranslateOptions): TranslatedRequest {
  const { from, to } = options;
  const read = readRequest(from, body, options);
  const written = writeRequest(to, read.request, options.write);
  const { stream, model: clientModel, tools, includeUsage = from !== "openai-chat" } = read.request;
  const model = options.write?.model ?? clientModel;
  const keepsText = to === "openai-chat" || to === "openai-responses";
  return {
    body: written.body,
    notices: [...read.notices, ...written.notices],
    model,
    clientModel,
    stream,
    includeUsage,
    path: requestPath(to, { stream, ...(model === undefined ? {} : { model }) }),
    customTools: keepsText ? [] : tools.flatMap(({ name, custom }) => (custom === undefined ? [] : [name])),
  };
}

/**
 * The address of a request, from the vendor's base (`https://api.openai.com/v1`, `https://api.anthropic.com`,
 * `https://generativelanguage.googleapis.com/v1beta`).
 *
 * @throws RequestError for a model's name that leads out of the vendor's models.
 * @example
 * requestPath("gemini", { model: "gemini-3-pro", stream: true }); // "/models/gemini-3-pro:streamGenerateContent?alt=sse"
 */
export function requestPath(
  wire: RequestWire,
  { model = "", stream }: { readonly model?: string; readonly stream: boolean },
): string {
  switch (wire) {
    case "openai-chat":
      return "/chat/completions";
    case "openai-responses":
      return "/responses";
    case "anthropic":
      return "/v1/messages";
    default: {
      const segments = model.replace(/^models\//, "").split("/");
      // Addresses are resolved: such a name would ask something else of the vendor.
      if (segments.some((segment) => segment === "." || segment === ".."))
        throw new RequestError("malformed", "model", "must be a name, without . and .. in it");
      const name = segments.map(encodeURIComponent).join("/");
      return `/models/${name}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
    }
  }
}
