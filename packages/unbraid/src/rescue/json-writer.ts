// JSON that grows: the text of a string in pieces. Owns the escaping. Knows no form.

/** Takes JSON text, in order. */
export type Out = (json: string) => void;

/** Writes one JSON string from pieces; the same text however it was cut, also inside a surrogate pair. */
export class StringWriter {
  readonly #out: Out;
  #begun = false;
  /** The high half of a pair whose low half has not come. */
  #half = "";

  constructor(out: Out) {
    this.#out = out;
  }

  /** Writes a piece of the string. */
  write(piece: string): void {
    if (!this.#begun) {
      this.#begun = true;
      this.#out('"');
    }
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    const half = last >= 0xd800 && last < 0xdc00;
    this.#half = half ? text.slice(-1) : "";
    const whole = half ? text.slice(0, -1) : text;
    if (whole !== "") this.#out(JSON.stringify(whole).slice(1, -1));
  }

  /** Says what is held back, where the string does not end but nothing more comes. */
  flush(): void {
    if (this.#half !== "") this.#out(JSON.stringify(this.#half).slice(1, -1));
    this.#half = "";
  }

  /** Ends the string. */
  end(): void {
    this.write("");
    this.flush();
    this.#out('"');
  }
}
