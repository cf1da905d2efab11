// The argument text of one call on a wire that keeps its rules: each fragment is appended, whatever it says. Owns nothing but
// that; what the text amounts to, close.ts says.

import type { ClosingText } from "../assembly/close.ts";
import { GrowingText } from "../json/growing-text.ts";
import { JsonScanner } from "../json/scanner.ts";

/** Argument text as it grows. */
export class CallText implements ClosingText {
  readonly scanner: JsonScanner;
  readonly plain: boolean;
  /** UTF-8 bytes so far. */
  bytes = 0;
  readonly #held = new GrowingText();

  /**
   * @param plain Free text, which is never parsed.
   * @param maxDepth Levels of nesting that are read.
   */
  constructor(plain: boolean, maxDepth: number) {
    this.plain = plain;
    this.scanner = new JsonScanner({ maxDepth });
  }

  get held(): string {
    return this.#held.text;
  }

  get empty(): boolean {
    return !this.plain && this.scanner.state === "empty";
  }

  /** Takes a fragment. */
  add(fragment: string): void {
    this.#held.add(fragment);
    if (!this.plain) this.scanner.feed(fragment);
  }

  settle(): string {
    return "";
  }

  setEmptyObject(): string {
    this.add("{}");
    return "{}";
  }
}
