// Which values of a frame may differ from the frame before it, and where they stand in its text. Owns the words for holes and
// the search for them in a JSON text; knows no bytes and no vendor.

/** Where a value stands in a frame. */
type FramePath = readonly (string | number)[];

/**
 * What a hole's value is for: the fragment, the call's index, the call's second name, the event's number, or nothing.
 * Where an index or a number is expected and something else stands, no template can be made; `skip` takes a string or a
 * whole number as a hole, and leaves what else stands there to the constant text.
 */
export type HoleUse = "text" | "index" | "item" | "sequence" | "skip";

/** A value that may differ from frame to frame. */
export interface Hole {
  readonly path: FramePath;
  readonly use: HoleUse;
}

/** The values that a matching frame has in its holes. One record, written anew for every frame. */
export interface HoleValues {
  text: string;
  /** -1 where there is no such hole. */
  index: number;
  /** Empty where there is no such hole. */
  item: string;
  /** -1 where there is no such hole. */
  sequence: number;
}

/** A value that was found, as a range of the text: of a string, its inside. */
export interface FoundHole {
  readonly start: number;
  readonly end: number;
  readonly use: HoleUse;
  readonly string: boolean;
}

/**
 * Finds the places of values.
 *
 * @param text A text that `JSON.parse` accepted.
 * @param holes The values. Those that do not stand in the text are left out.
 * @returns In order of their places. Undefined where no fragment stands there, a path stands twice, or a value is not of the
 *   kind that its use asks for.
 */
export function findHoles(text: string, holes: readonly Hole[]): readonly FoundHole[] | undefined {
  return new Finder(text, holes).find();
}

class Finder {
  readonly #text: string;
  readonly #holes: readonly Hole[];
  readonly #path: (string | number)[] = [];
  readonly #found: FoundHole[] = [];
  readonly #seen: Set<Hole> = new Set();
  #at = 0;
  #usable = true;

  constructor(text: string, holes: readonly Hole[]) {
    this.#text = text;
    this.#holes = holes;
  }

  find(): readonly FoundHole[] | undefined {
    this.#value();
    return this.#usable && this.#found.some(({ use }) => use === "text") ? this.#found : undefined;
  }

  #skipSpace(): void {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at++;
  }

  #value(): void {
    this.#skipSpace();
    const start = this.#at;
    const first = this.#text.charAt(start);
    if (first === "{" || first === "[") return this.#container(first === "[");
    if (first === '"') this.#string();
    else while (/[^,\]}\s]/.test(this.#text.charAt(this.#at))) this.#at++;
    this.#note(start, first === '"');
  }

  #note(start: number, string: boolean): void {
    const hole = this.#holes.find(
      ({ path }) => path.length === this.#path.length && path.every((step, at) => step === this.#path[at]),
    );
    if (hole === undefined) return;
    const whole = /^\d{1,15}$/.test(this.#text.slice(start, this.#at));
    const { use } = hole;
    if (use === "skip" && !string && !whole) return;
    const fits = use === "skip" || (use === "index" || use === "sequence" ? whole : string);
    if (this.#seen.has(hole) || !fits) {
      this.#usable = false;
      return;
    }
    this.#seen.add(hole);
    this.#found.push(
      string ? { start: start + 1, end: this.#at - 1, use, string } : { start, end: this.#at, use, string },
    );
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text.charAt(this.#at) !== '"') this.#at += this.#text.charAt(this.#at) === "\\" ? 2 : 1;
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #container(array: boolean): void {
    this.#at++;
    for (let index = 0; ; index++) {
      this.#skipSpace();
      const char = this.#text.charAt(this.#at);
      if (char === "]" || char === "}") {
        this.#at++;
        return;
      }
      if (char === ",") {
        this.#at++;
        this.#skipSpace();
      }
      this.#path.push(array ? index : this.#key());
      this.#value();
      this.#path.pop();
    }
  }

  #key(): string {
    const key = JSON.parse(this.#string()) as string;
    this.#skipSpace();
    this.#at++;
    return key;
  }
}
