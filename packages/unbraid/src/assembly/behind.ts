// Text that came behind a closed argument value and is not decided yet: a repeat of the value in any number of pieces, an
// empty object that adds nothing, or something else. Owns the comparison; what it means is decided in arguments.ts.

/** Longest tail in which an empty object is looked for. */
const MAX_EMPTY = 64;
/** An object without members, and nothing else. */
export const EMPTY_OBJECT: RegExp = /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/;
const BEGUN_OBJECT = /^\{\s*$/;

/** Something that the text behind the value proved to be. */
export interface Decided {
  readonly is: "repeat" | "empty-object";
  /** The text that it was. */
  readonly text: string;
  /** What follows it and is not looked at yet. */
  readonly rest: string;
}

/** See the file's head. Costs what is new: the value is compared from where the last piece ended. */
export class Behind {
  #text = "";
  /** How much of the text equals the start of the value; -1 once they differ. */
  #matched = 0;

  /** What stands behind the value, undecided. */
  get text(): string {
    return this.#text;
  }

  /** Forgets the text. */
  clear(): void {
    this.#text = "";
    this.#matched = 0;
  }

  /**
   * Takes more text.
   *
   * @param text What came.
   * @param value The closed value, without white space around it.
   * @returns What the text proved to be, undefined while it is undecided.
   */
  take(text: string, value: string): Decided | undefined {
    if (this.#matched < 0) {
      this.#text += text;
      return undefined;
    }
    const part = text.slice(0, value.length - this.#matched);
    if (!value.startsWith(part, this.#matched)) return this.#differs(text);
    this.#text += part;
    this.#matched += part.length;
    return this.#matched < value.length ? undefined : this.#decided("repeat", text.slice(part.length));
  }

  #differs(text: string): Decided | undefined {
    this.#text += text;
    if (this.#text.length <= MAX_EMPTY) {
      if (EMPTY_OBJECT.test(this.#text)) return this.#decided("empty-object", "");
      if (BEGUN_OBJECT.test(this.#text)) return undefined;
    }
    this.#matched = -1;
    return undefined;
  }

  #decided(is: Decided["is"], rest: string): Decided {
    const { text } = this;
    this.clear();
    return { is, text, rest };
  }
}
