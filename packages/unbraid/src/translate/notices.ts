// What could not be carried from one vendor's request to another's. Owns the notices and that none is said twice.

/** The closed set of them. One code for one thing. */
export type TranslateNoticeCode =
  /** A field that the other vendor does not have. */
  | "field-left-out"
  /** A part of a message that the other vendor does not take; a word stands in its place where it was the user's. */
  | "content-left-out"
  /** A tool that only its own vendor runs. */
  | "tool-left-out"
  /** Reasoning that only its own vendor can take back, or for which there is no place. */
  | "reasoning-left-out"
  /** A value that the other vendor does not take; the nearest one stands in its place. */
  | "value-changed"
  /** A field that the other vendor wants, and that was not there. */
  | "default-added"
  /** Something stands in another place than it stood. */
  | "order-changed"
  /** An id that the other vendor does not allow was written in other characters. */
  | "id-mapped"
  /** A name that the other vendor does not allow was written in other characters. */
  | "name-mapped"
  /** Free text of a custom tool goes as the one string of a function. */
  | "custom-as-function"
  /** Arguments that are no JSON object were wrapped in one. */
  | "arguments-wrapped"
  /** There were more notices than are kept. */
  | "limit";

/** Something that could not be carried, and what was done about it. */
export interface TranslateNotice {
  /** Which one of the closed set it is. */
  readonly code: TranslateNoticeCode;
  /** Plain words. */
  readonly message: string;
  /** Where in the request that was read it was met first: `messages[2].content[0]`. */
  readonly path?: string;
}

const MAX_NOTICES = 200;

/** The notices of one request. A history says the same thing of many messages: it is kept once. */
export class TranslateNotices {
  readonly list: TranslateNotice[] = [];
  readonly #said: Set<string> = new Set();

  /** Says one. */
  say(code: TranslateNoticeCode, message: string, path?: string): void {
    const place = `${code} ${(path ?? message).replace(/\[\d+\]/g, "[]")}`;
    if (this.#said.has(place) || this.list.length >= MAX_NOTICES) return;
    this.#said.add(place);
    if (this.list.length === MAX_NOTICES - 1)
      this.list.push({ code: "limit", message: "Further notices are not kept." });
    else this.list.push({ code, message, ...(path === undefined ? {} : { path }) });
  }
}
