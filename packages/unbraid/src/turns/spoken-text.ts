// Text that a vendor's part repeats because something hangs on it: a signature, citations, an id. Owns the taking back of
// what was said plainly before the part came.

/** The items of a turn while it is built, with the text that was said last and may still be repeated by a part. */
export class SpokenText<Item> {
  readonly items: Item[] = [];
  #said = "";
  readonly #make: (text: string) => Item | undefined;

  /** @param make Makes an item of plain text; undefined where the vendor takes no such text. */
  constructor(make: (text: string) => Item | undefined) {
    this.#make = make;
  }

  /** Says text. */
  say(text: string): void {
    this.#said += text;
  }

  /** Takes back a text that was said last. False where it was not: then the part that repeats it must not be sent. */
  unsay(text: string): boolean {
    if (!this.#said.endsWith(text)) return false;
    this.#said = this.#said.slice(0, this.#said.length - text.length);
    return true;
  }

  /** Adds an item, behind what was said. */
  push(item: Item): void {
    this.flush();
    this.items.push(item);
  }

  /** What was said becomes an item. */
  flush(): void {
    const item = this.#said === "" ? undefined : this.#make(this.#said);
    this.#said = "";
    if (item !== undefined) this.items.push(item);
  }
}
