// The lines of a body as most clients cut them: `data:` in front, JSON behind. Owns that cutting, faults and all; how a
// body is really framed, the library knows.

/** Longest line that is waited for, in UTF-16 units: the body may have no line breaks at all. */
const MAX_LINE = 16 * 1024 * 1024;

/** Cuts a body into the JSON values of its data lines. */
export class DataLines {
  readonly #decoder: TextDecoder = new TextDecoder();
  #line = "";
  #values = 0;

  /** Values so far. */
  get count(): number {
    return this.#values;
  }

  /** The values that these bytes complete; what is not JSON is passed over. */
  *push(bytes: Uint8Array): Generator<unknown, void, undefined> {
    const lines = (this.#line + this.#decoder.decode(bytes, { stream: true })).split("\n");
    const last = lines.pop() ?? "";
    this.#line = last.length > MAX_LINE ? "" : last;
    for (const line of lines) yield* this.#value(line);
  }

  /** The value of a last line without a line break. */
  *end(): Generator<unknown, void, undefined> {
    yield* this.#value(this.#line);
    this.#line = "";
  }

  *#value(line: string): Generator<unknown, void, undefined> {
    if (!line.startsWith("data:")) return;
    const data = line.slice("data:".length).trim();
    if (data === "[DONE]") return;
    try {
      yield JSON.parse(data) as unknown;
      this.#values++;
    } catch {
      // A client that throws here reads nothing at all; most pass over it.
    }
  }
}
