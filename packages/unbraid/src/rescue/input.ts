// Text that comes in pieces, and reading it as if it were whole: a reader is a generator that yields where it needs more.
// Owns the position, what is held back, and the small steps of reading. Knows no form and no call.

/** A reader: yields where the text so far does not tell, and gives its result in the end. */
export type Reading<T> = Generator<undefined, T>;

/** A step did not fit. */
export const NO = -1;
/** The text ended inside a step that fitted so far. */
export const CUT = -2;

/** Consumed text beyond which a hold is moved out of the text that is read. */
const LARGE = 2048;

/** White space between parts of markup that is looked at; a longer run is no markup. */
export const MAX_SPACE = 64;

/**
 * The text of one channel.
 *
 * Invariants: `text` from `at` on is what is not consumed; while held, everything consumed since `hold` can be had back,
 * as `text` from the mark to `at` and the pieces moved out before it.
 */
export class Input {
  text = "";
  at = 0;
  /** Nothing more will come. */
  ended = false;
  #held = false;
  #mark = 0;
  #moved: string[] = [];
  #movedLength = 0;

  /** Appends text. */
  feed(chunk: string): void {
    if (this.#held && this.at - this.#mark > LARGE) {
      this.#moved.push(this.text.slice(this.#mark, this.at));
      this.#movedLength += this.at - this.#mark;
      this.#mark = this.at;
    }
    const from = this.#held ? this.#mark : this.at;
    this.text = from >= this.text.length ? chunk : (from === 0 ? this.text : this.text.slice(from)) + chunk;
    this.at -= from;
    this.#mark = 0;
  }

  /** Whether text is held. */
  get held(): boolean {
    return this.#held;
  }

  /** Characters consumed since `hold`. */
  get heldLength(): number {
    return this.#held ? this.#movedLength + this.at - this.#mark : 0;
  }

  /** Keeps what is consumed from here on. */
  hold(): void {
    this.#held = true;
    this.#mark = this.at;
    this.#moved = [];
    this.#movedLength = 0;
  }

  /** Ends the hold and gives what was consumed since it began. */
  release(): string {
    if (!this.#held) return "";
    const text = this.#moved.join("") + this.text.slice(this.#mark, this.at);
    this.drop();
    return text;
  }

  /** Ends the hold; what was consumed is gone. */
  drop(): void {
    this.#held = false;
    this.#moved = [];
    this.#movedLength = 0;
  }

  /** Goes back to where the hold began, and goes on holding. */
  rewind(): void {
    if (this.#movedLength > 0) {
      this.text = this.#moved.join("") + this.text.slice(this.#mark);
      this.#mark = 0;
      this.#moved = [];
      this.#movedLength = 0;
    }
    this.at = this.#mark;
  }
}

/** True once a character stands at the position, false where the text is over. */
export function* more(input: Input): Reading<boolean> {
  while (input.at >= input.text.length) {
    if (input.ended) return false;
    yield;
  }
  return true;
}

/** The code unit `offset` characters ahead, without consuming it; `CUT` where the text ends before. */
export function* code(input: Input, offset: number): Reading<number> {
  while (input.at + offset >= input.text.length) {
    if (input.ended) return CUT;
    yield;
  }
  return input.text.charCodeAt(input.at + offset);
}

/** Whether `word` stands `offset` characters ahead: the offset behind it, `NO` or `CUT`. */
export function* literal(input: Input, word: string, offset: number): Reading<number> {
  for (;;) {
    const at = input.at + offset;
    const { text } = input;
    if (text.length - at >= word.length) return text.startsWith(word, at) ? offset + word.length : NO;
    if (!word.startsWith(text.slice(at))) return NO;
    if (input.ended) return CUT;
    yield;
  }
}

/** The first of `words` that stands `offset` characters ahead: the offset behind it, `NO` or `CUT`. */
export function* oneOf(input: Input, words: readonly string[], offset: number): Reading<number> {
  let cut = false;
  for (const word of words) {
    const { text, at } = input;
    // Most do not stand here: told at once, for each step of a reader has its price.
    if (text.length - at - offset >= word.length && !text.startsWith(word, at + offset)) continue;
    const end = yield* literal(input, word, offset);
    if (end >= 0) return end;
    cut ||= end === CUT;
  }
  return cut ? CUT : NO;
}

/** The offset behind the white space that stands `offset` characters ahead; `NO` where it is longer than it may be. */
export function* space(input: Input, offset: number, max: number = MAX_SPACE): Reading<number> {
  for (let at = offset; at - offset <= max; at++) {
    if (!isSpace(yield* code(input, at))) return at;
  }
  return NO;
}

/** Consumes white space, however long. */
export function* skipSpace(input: Input): Reading<void> {
  while (yield* more(input)) {
    if (!isSpace(input.text.charCodeAt(input.at))) return;
    input.at++;
  }
}

/** Space, tab, line feed, carriage return. */
export function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
