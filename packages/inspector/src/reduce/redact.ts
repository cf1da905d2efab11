// A frame without what it says: contents, names and ids exchanged, each kind by itself, so that those can stay that the
// finding hangs on. Owns the choice of the mask for each kind and the way to the JSON text in a frame.

import { withPayload } from "./aws-message.ts";
import { JsonMask, maskProse, maskText, Renaming } from "./mask.ts";
import { type FrameString, type StringUse, withStrings } from "./strings.ts";

/** What is exchanged, in the order in which it is tried. */
export const REDACTIONS = ["text", "arguments", "value", "id", "name", "model"] as const;

/** One of them. */
export type Redaction = (typeof REDACTIONS)[number];

/** How strongly, the strongest first: nothing is left of it, a letter stays a letter, what holds it together stays. */
export const STRENGTHS = ["empty", "full", "mild"] as const;

/** One of them. */
export type Strength = (typeof STRENGTHS)[number];

/** What is exchanged, and how strongly. */
export type Redactions = Readonly<Partial<Record<Redaction, Strength>>>;

const LETTERS = { empty: "", full: "x" } as const;

/** Exchanges the strings of the frames of one body, in order. */
export class Redactor {
  readonly #redactions: Redactions;
  readonly #framing: string | undefined;
  readonly #ids: Renaming = new Renaming("id");
  readonly #names: Renaming = new Renaming("tool");
  readonly #masks: Map<string, JsonMask> = new Map();

  /**
   * @param redactions What to exchange.
   * @param framing How the body is cut into frames.
   */
  constructor(redactions: Redactions, framing: string | undefined) {
    this.#redactions = redactions;
    this.#framing = framing;
  }

  /** The next frame. */
  frame(frame: Uint8Array): Uint8Array {
    if (this.#framing === "aws-event-stream") return withPayload(frame, (payload) => this.#bytes(payload));
    return this.#bytes(frame);
  }

  /** Every unit of the text is a byte, so that what is no UTF-8 stays as it is. */
  #bytes(bytes: Uint8Array): Uint8Array {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    const made = this.#text(text);
    return Uint8Array.from(made, (unit) => unit.charCodeAt(0) & 0xff);
  }

  #text(text: string): string {
    if (this.#framing === "sse")
      return text.replace(/^(data: ?)([^\r\n]*)/gm, (_, head: string, data: string) => head + this.#json(data));
    if (this.#framing === "text" && !/^\s*[{[]/.test(text)) return this.#said({ use: "text", value: text, stream: "" });
    return this.#json(text);
  }

  #json(text: string): string {
    return withStrings(text, (string) => this.#said(string));
  }

  #said(string: FrameString): string {
    const { use, value } = string;
    if (use === "word") return value;
    const strength = this.#redactions[use];
    if (strength === undefined) return value;
    // Only where the finding hangs on the object in the text: its keys, and what looks like a vendor's word, would stay.
    if (use === "text" && strength === "mild" && /^\{.*\}$/s.test(value.trim())) return this.#json(value);
    return this.#masked(use, strength, string);
  }

  #masked(use: Redaction, strength: Strength, { value, stream }: FrameString): string {
    switch (use) {
      case "id":
        return strength === "mild" ? maskText(value) : this.#ids.name(value);
      case "name":
        return strength === "mild" ? maskText(value) : this.#names.name(value);
      case "model":
        return "model";
      case "arguments":
        return strength === "mild" ? new JsonMask().feed(value) : this.#mask(stream, strength).feed(value);
      case "text":
        return strength === "mild" ? maskProse(value) : maskText(value, LETTERS[strength]);
      default:
        return maskText(value);
    }
  }

  #mask(stream: string, strength: "empty" | "full"): JsonMask {
    const known = this.#masks.get(stream);
    if (known !== undefined) return known;
    const mask = new JsonMask(LETTERS[strength]);
    this.#masks.set(stream, mask);
    return mask;
  }
}

/** The words for a use of strings. */
export const USE_WORDS: Readonly<Record<Exclude<StringUse, "word">, string>> = {
  text: "text",
  arguments: "argument text",
  value: "argument values",
  id: "ids and signatures",
  name: "names of tools",
  model: "the model",
};

/** A masked frame with its long runs made short. */
export function shortened(frame: Uint8Array, framing: string | undefined): Uint8Array {
  const shorter = (bytes: Uint8Array): Uint8Array => {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    const made = text.replace(/x{4,}/g, "xx").replace(/(?:xx?[ ,.]+){3,}/g, "xx ");
    return Uint8Array.from(made, (unit) => unit.charCodeAt(0) & 0xff);
  };
  return framing === "aws-event-stream" ? withPayload(frame, shorter) : shorter(frame);
}
