// Text that comes in small fragments. Owns how it is held: an engine keeps a text that was put together from pieces as these
// pieces, up to sixty bytes of objects for each, until somebody looks at a character of it.

/** UTF-16 units after which pieces are made into one: enough for the call to cost little, few enough to stay in a cache. */
const PIECE = 2048;

/** See the file's head. Costs what is added. */
export class GrowingText {
  /** Made of joined pieces. */
  #joined = "";
  #recent = "";
  #recentLength = 0;
  /** The character that was looked at last: see `#join`. */
  seen = 0;
  /** UTF-16 units. */
  length = 0;

  /** Adds a fragment. */
  add(fragment: string): void {
    const recent = this.#recent + fragment;
    // Of a sum V8 knows that it is a string. The fragment's own length it would look up by the kind of string that it is, of
    // which there are eight, and more than four are too many for a fast look.
    const { length } = recent;
    this.length += length - this.#recentLength;
    this.#recent = recent;
    this.#recentLength = length;
    if (length >= PIECE) this.#join();
  }

  /** All of it as it stands, to be looked at by somebody else, or never. */
  get loose(): string {
    return this.#joined + this.#recent;
  }

  /** All of it. Looking into it may cost its length, once. */
  get text(): string {
    if (this.#recentLength > 0) this.#join();
    return this.#joined;
  }

  #join(): void {
    // Looking at a character makes V8, JavaScriptCore and SpiderMonkey join the pieces. What is seen is kept, for a look
    // that nothing comes of is left out by their compilers.
    this.seen = this.#recent.charCodeAt(0);
    this.#joined += this.#recent;
    this.#recent = "";
    this.#recentLength = 0;
  }

  /** Starts anew. */
  clear(): void {
    this.#joined = "";
    this.#recent = "";
    this.#recentLength = 0;
    this.length = 0;
  }
}
