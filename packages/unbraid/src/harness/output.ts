// What a tool gave, as content that can be kept and sent. Owns the shapes that are understood and the bounds; a value that
// is hostile or broken becomes words, never an exception.

import type { ContentPart } from "../turns/content.ts";
import { boundedJson } from "./bounded-json.ts";
import { beginning, inline } from "./excerpt.ts";
import type { RecordedResult } from "./ledger.ts";

/** How much of a result is taken. */
export interface OutputLimits {
  /** UTF-16 units of all text. Default 100,000. What is longer is cut, and the text says so. */
  readonly maxTextLength?: number;
  /** UTF-16 units of all images and files in base64. Default 6,000,000. What goes beyond is left out, and a text says so. */
  readonly maxMediaLength?: number;
}

/** Parts that are taken of one result. */
const MAX_PARTS = 100;

/**
 * A tool's output as content.
 *
 * Understood are: text; a list of content parts; `{ content, isError }` with content parts or with those of MCP (text,
 * image, audio, resource, resource_link: https://modelcontextprotocol.io/specification/2025-06-18/server/tools). Any
 * other value becomes its JSON text. Nothing at all becomes one empty text.
 *
 * @param output What `execute` gave.
 * @param limits How much of it is taken.
 * @example
 * contentOf({ celsius: 18 }); // { content: [{ type: "text", text: '{"celsius":18}' }] }
 */
export function contentOf(output: unknown, limits: OutputLimits = {}): RecordedResult {
  const taker = new Taker(limits);
  let isError = false;
  try {
    const shaped = shapeOf(output);
    isError = shaped?.isError === true;
    if (typeof output === "string") taker.text(output);
    else if (shaped !== undefined) for (const part of shaped.parts) taker.part(part);
    else if (output !== undefined) taker.json(output);
  } catch {
    taker.text("[a part of the result could not be read]");
  }
  return { content: taker.content(), ...(isError ? { isError: true } : {}) };
}

interface Shaped {
  readonly parts: readonly unknown[];
  readonly isError: boolean;
}

/** The parts of a value that has one of the known shapes. */
function shapeOf(output: unknown): Shaped | undefined {
  if (Array.isArray(output))
    return isPartList(output) && output.length > 0 ? { parts: output, isError: false } : undefined;
  if (!isRecord(output)) return undefined;
  const { content, isError, structuredContent } = output;
  if (!Array.isArray(content) || !isPartList(content)) return undefined;
  const failed = isError === true;
  if (content.length > 0 || structuredContent === undefined) return { parts: content, isError: failed };
  return { parts: [{ type: "text", text: boundedJson(structuredContent, MAX_STRUCTURED).text }], isError: failed };
}

/** Longer than any limit of text that makes sense; the taker cuts further. */
const MAX_STRUCTURED = 10_000_000;

const PART_TYPES = new Set<unknown>(["text", "image", "audio", "file", "resource", "resource_link"]);

function isPartList(list: readonly unknown[]): boolean {
  return list.slice(0, MAX_PARTS).every((part) => isRecord(part) && PART_TYPES.has(part["type"]));
}

/** Takes parts until the bounds are reached. */
class Taker {
  readonly #parts: ContentPart[] = [];
  readonly #maxText: number;
  #textLeft: number;
  #mediaLeft: number;
  /** UTF-16 units of text that were offered and not taken; Infinity where nobody counted them. */
  #textLost = 0;
  #partsLost = 0;

  constructor({ maxTextLength = 100_000, maxMediaLength = 6_000_000 }: OutputLimits) {
    this.#maxText = maxTextLength;
    this.#textLeft = maxTextLength;
    this.#mediaLeft = maxMediaLength;
  }

  /** What was taken, with a notice where that is not all. */
  content(): readonly ContentPart[] {
    const lost = this.#notice();
    if (lost !== "") this.#parts.push({ type: "text", text: lost });
    return this.#parts.length === 0 ? [{ type: "text", text: "" }] : this.#parts;
  }

  text(text: string): void {
    const kept = text.length <= this.#textLeft ? text : beginning(text, this.#textLeft);
    this.#textLost += text.length - kept.length;
    this.#textLeft -= kept.length;
    if (kept !== "" || text === "") this.#parts.push({ type: "text", text: wellFormed(kept) });
  }

  json(value: unknown): void {
    const { text, cut } = boundedJson(value, this.#textLeft);
    this.text(text);
    if (cut) this.#textLost = Infinity;
  }

  part(part: unknown): void {
    if (this.#parts.length >= MAX_PARTS) this.#partsLost += 1;
    else if (isRecord(part)) this.#known(part);
  }

  #known(part: Readonly<Record<string, unknown>>): void {
    const { type, text, data, url, name } = part;
    const mediaType = part["mediaType"] ?? part["mimeType"];
    if (type === "text" && typeof text === "string") return this.text(text);
    if (type === "image" || type === "audio" || type === "file")
      return this.#media(type === "image" ? "image" : "file", { mediaType, data, url, name }, part);
    if (type === "resource" && isRecord(part["resource"])) return this.#resource(part["resource"]);
    if (type === "resource_link" && typeof part["uri"] === "string")
      return this.text(`${typeof name === "string" ? `${name}: ` : ""}${part["uri"]}`);
    this.json(part);
  }

  /** https://modelcontextprotocol.io/specification/2025-06-18/server/tools#embedded-resources */
  #resource(resource: Readonly<Record<string, unknown>>): void {
    const { uri, text, blob, mimeType } = resource;
    if (typeof text === "string") return this.text(text);
    if (typeof blob === "string") return this.#media("file", { mediaType: mimeType, data: blob, name: uri }, resource);
    this.json(resource);
  }

  #media(type: "image" | "file", given: Readonly<Record<string, unknown>>, whole: unknown): void {
    const { mediaType = "application/octet-stream", data, url, name } = given;
    const source = typeof data === "string" ? { data } : typeof url === "string" ? { url } : undefined;
    if (source === undefined || typeof mediaType !== "string") return this.json(whole);
    const length = (source.data ?? source.url ?? "").length;
    const kind = inline(mediaType, 100);
    if (length > this.#mediaLeft)
      return this.text(`[${kind} of ${length} characters left out: that is more than is taken of one result]`);
    this.#mediaLeft -= length;
    const named = type === "file" && typeof name === "string" ? { name: inline(name, 255) } : {};
    this.#parts.push({ type, mediaType: kind, ...source, ...named });
  }

  #notice(): string {
    const parts = this.#partsLost > 0 ? ` ${this.#partsLost} further parts were left out.` : "";
    if (this.#textLost === 0) return parts === "" ? "" : `[${parts.trim()}]`;
    const shown = this.#maxText - this.#textLeft;
    const all = this.#textLost === Infinity ? "more" : String(shown + this.#textLost);
    return `[The result was cut: ${shown} of ${all} characters are shown.${parts} Ask for less at a time.]`;
  }
}

/** Some vendors refuse a body with half a surrogate pair. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
