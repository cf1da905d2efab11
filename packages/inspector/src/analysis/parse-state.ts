// Whether the argument text of a call parses, fragment by fragment. Owns the three words for it.

import type { CallIdentity } from "unbraid";
import { type JsonFault, JsonScanner } from "unbraid/json";

/**
 * What `JSON.parse` would do with the text so far:
 *
 * - `fails`: it throws, more text may change that;
 * - `parses`: it gives a value;
 * - `broken`: it throws, and nothing that may follow can change that;
 * - `text`: the arguments are free text, there is nothing to parse.
 */
export type ParseWord = "fails" | "parses" | "broken" | "text";

/** What a fragment did to the text. */
export interface ParseStep {
  /** What `JSON.parse` would do with the text so far. */
  readonly word: ParseWord;
  /** The fault, at the fragment that brought it. */
  readonly fault: JsonFault | undefined;
  /** UTF-16 offset of the fault in the fragment. */
  readonly offset: number;
}

/** Follows the argument text of one call. */
export class ParseState {
  readonly #kind: CallIdentity["kind"];
  #scanner: JsonScanner = new JsonScanner();
  #free: boolean | undefined;

  /**
   * Starts with no text.
   *
   * @param kind The call's kind; custom tools take free text.
   */
  constructor(kind: CallIdentity["kind"]) {
    this.#kind = kind;
  }

  /** Reads the next fragment. */
  feed(fragment: string): ParseStep {
    if (this.#isFree(fragment)) return { word: "text", fault: undefined, offset: 0 };
    const scanner = this.#scanner;
    const before = scanner.length;
    const wasBroken = scanner.state === "broken";
    scanner.feed(fragment);
    const fault = wasBroken ? undefined : scanner.fault;
    return { word: this.#word(), fault, offset: fault === undefined ? 0 : fault.offset - before };
  }

  /** Forgets the text: the vendor has replaced it. */
  reset(): void {
    this.#scanner = new JsonScanner();
    this.#free = undefined;
  }

  #word(): ParseWord {
    if (this.#scanner.state === "broken") return "broken";
    return this.#scanner.canEnd ? "parses" : "fails";
  }

  /** Vendors' own tools take an object or code; which of the two, the first character tells. */
  #isFree(fragment: string): boolean {
    if (this.#free === undefined) {
      const start = fragment.trimStart();
      if (this.#kind === "custom") this.#free = true;
      else if (this.#kind !== "server" && this.#kind !== "builtin") this.#free = false;
      else if (start !== "") this.#free = !/^[{[]/.test(start);
    }
    return this.#free ?? false;
  }
}
