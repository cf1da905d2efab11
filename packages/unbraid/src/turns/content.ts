// What a message or a tool's result is made of, before any vendor's form. Owns the parts and what they read as where a
// vendor does not take them; each form says which of them its vendor takes.

/** Plain text. */
export interface TextPart {
  /** Tells the parts apart. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** An image, by its bytes or by its address. */
export interface ImagePart {
  /** Tells the parts apart. */
  readonly type: "image";
  /** The IANA media type, `image/png`. */
  readonly mediaType: string;
  /** The bytes in base64, without a `data:` head. */
  readonly data?: string;
  /** The address, where there are no bytes. */
  readonly url?: string;
}

/** A file, by its bytes or by its address. */
export interface FilePart {
  /** Tells the parts apart. */
  readonly type: "file";
  /** The IANA media type, `application/pdf`. */
  readonly mediaType: string;
  /** The bytes in base64, without a `data:` head. */
  readonly data?: string;
  /** The address, where there are no bytes. */
  readonly url?: string;
  /** A name to show. */
  readonly name?: string;
}

/** One piece of content. */
export type ContentPart = TextPart | ImagePart | FilePart;

/** An image or a file. */
export type MediaPart = ImagePart | FilePart;

/** Whether a part is no text. */
export function isMedia(part: ContentPart): part is MediaPart {
  return part.type !== "text";
}

/** The address of a part for vendors that take one string: its URL, or its bytes as a `data:` URL; undefined without both. */
export function addressOf(part: MediaPart): string | undefined {
  if (part.data !== undefined) return `data:${part.mediaType};base64,${part.data}`;
  return part.url;
}

/** Longest name or address that is shown to a model. */
const SHOWN = 200;

/** What a model reads in place of a part that its vendor does not take here. */
export function leftOut(part: MediaPart): string {
  const name = part.type === "file" && part.name !== undefined ? ` "${part.name.slice(0, SHOWN)}"` : "";
  const where = part.url === undefined ? "" : ` at ${part.url.slice(0, SHOWN)}`;
  return `[${part.type}${name} (${part.mediaType})${where}: it cannot be shown here]`;
}

/** What a model reads in place of a part that follows in another message. */
export function follows(part: MediaPart): string {
  const name = part.type === "file" && part.name !== undefined ? ` "${part.name.slice(0, SHOWN)}"` : "";
  return `[${part.type}${name} (${part.mediaType}): it follows in the next message]`;
}

/** What stands for a result without any content: several vendors refuse an empty one. */
export const NO_OUTPUT = "(no output)";

/**
 * Content as one text.
 *
 * @param say What is written in place of an image or a file.
 * @returns Never blank.
 */
export function textOf(content: readonly ContentPart[], say: (part: MediaPart) => string = leftOut): string {
  const text = content.map((part) => (isMedia(part) ? say(part) : part.text)).join("\n");
  return text.trim() === "" ? NO_OUTPUT : wellFormed(text);
}

/** A text without halves of surrogate pairs that stand alone, which cannot be sent as UTF-8. */
export function wellFormed(text: string): string {
  // With the flag `u` the property matches only halves that have no other half.
  return text.replace(/\p{Surrogate}/gu, "\u{fffd}");
}
