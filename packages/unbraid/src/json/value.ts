// The value so far: reads JSON text in fragments and grows the value in place, as `JSON.parse` would give it. Owns
// decoding and the tree; the grammar is `grammar.ts`, and who is told of what is `follow.ts`.

import {
  catchUp,
  childPlace,
  type FollowedPlace,
  type Follower,
  type JsonFollowListener,
  join,
  leadsTo,
  newPlace,
  tellPiece,
  tellWhole,
} from "./follow.ts";
import {
  AFTER_ELEMENT,
  AFTER_MEMBER,
  CLOSE,
  COLON,
  END,
  ESCAPE,
  EXPONENT_DIGITS,
  FAULT,
  FIRST_ACTION,
  FIRST_ELEMENT,
  FIRST_KEY,
  KEY_ESCAPE,
  isWholeNumber,
  KEY_STRING,
  KEY_UNICODE_4,
  MINUS,
  move,
  NULL_LAST,
  NUMBER_END,
  OPEN_ARRAY,
  OPEN_OBJECT,
  runEnd,
  START,
  STRING,
  TRUE_LAST,
  UNICODE_1,
  UNICODE_4,
  VALUE_END,
} from "./grammar.ts";
import { GrowingText } from "./growing-text.ts";
import { normalizedStep, parsePath } from "./path.ts";
import { DEFAULT_MAX_DEPTH } from "./scanner.ts";
import { GrowingTree } from "./tree.ts";

/** Options of a {@link JsonValueBuilder}. */
export interface JsonValueOptions {
  /**
   * Makes the value of a number from its source text, for example `exactNumber`. Default: a double, as `JSON.parse`. An
   * error that it throws comes out of `feed` and ends the reading.
   */
  readonly number?: (source: string) => unknown;
  /** Levels of nesting that are read; the reading stops at one more. Default 10,000. */
  readonly maxDepth?: number;
}

/**
 * Builds the value of a JSON text from fragments of any size, and has at any moment the value so far. Reads every
 * character once, without recursion; a `feed` costs what its fragment costs.
 *
 * Of a value that is not whole there is what is certain: an object or array with the members that have begun, a string
 * as far as it has come (without half an escape, or the first half of a surrogate pair, until the rest has come); a
 * number or literal, and a member whose key is not whole, are not there yet. The end value is that of `JSON.parse`: own
 * `__proto__` keys, of equal keys the last value at the first one's place, lone surrogates, `-0`, `1e999` as Infinity.
 *
 * It stops at the first fault, where `JsonScanner` finds one too, and keeps what was read until there.
 *
 * @example
 * const builder = new JsonValueBuilder();
 * builder.feed('{"path":"a.md","content":"# Ti');
 * builder.value; // { path: "a.md", content: "# Ti" }
 */
export class JsonValueBuilder {
  readonly #number: ((source: string) => unknown) | undefined;
  readonly #maxDepth: number;
  #state: number = START;
  #tree: GrowingTree = new GrowingTree();
  /** Set by a fault, and while a fragment is read, so that a listener that throws or feeds leaves nothing half done. */
  #stopped = false;

  // The token that is being read.
  /** Characters of a key, or of a string value those that are not in the tree yet. */
  #piece = "";
  /** Characters of a string value that are in the tree. */
  readonly #text: GrowingText = new GrowingText();
  /** Whether the string that is being read is in the tree. */
  #added = false;
  /** A `\u` escape so far. */
  #unit = 0;
  /** A number as far as it came in earlier fragments, and where it starts in this one. */
  #source = "";
  #from = 0;

  readonly #followers: Follower[] = [];
  /** By level, the followed place of the open container there. */
  #places: (FollowedPlace | undefined)[] = [];
  /** The followed place of the string, number or literal that is being read. */
  #place: FollowedPlace | undefined = undefined;
  /** Whether there was a text before this one. */
  #again = false;
  /** Objects that the `number` option made: they are no containers of the text. */
  #made: WeakSet<object> | undefined = undefined;

  /**
   * Starts with no text.
   *
   * @param options How numbers are read, and limits.
   */
  constructor(options: JsonValueOptions = {}) {
    this.#number = options.number;
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  }

  /**
   * The value so far, or undefined when there is none. Costs nothing to read: objects and arrays are the live ones, which
   * grow with the next `feed` (copy what must not change). Strings are plain strings; reading inside one that still grows
   * may make the engine join its pieces, so to read all of it over and over use {@link follow}.
   */
  get value(): unknown {
    return this.#tree.root;
  }

  /** True when the value is whole. A number that is the whole text is so after {@link end}. */
  get done(): boolean {
    return this.#state === END;
  }

  /**
   * Reads the next fragment, and tells followers of what is new.
   *
   * @param text Any number of characters; may begin and end anywhere.
   * @returns False from the first fault on (also for one level of nesting too many); nothing more is read then.
   * @throws Whatever a listener or the `number` option throws; nothing more is read then.
   */
  feed(text: string): boolean {
    if (this.#stopped) return false;
    this.#stopped = true;
    this.#from = 0;
    const sound = this.#read(text);
    if (isInString(this.#state)) this.#growString();
    else if (this.#state >= MINUS && this.#state <= EXPONENT_DIGITS) this.#source += text.slice(this.#from);
    this.#stopped = !sound;
    return sound;
  }

  /**
   * Says that the text is over: a number that is the whole text ends here.
   *
   * @returns True when the text was one whole value.
   * @throws Whatever a listener or the `number` option throws.
   */
  end(): boolean {
    if (!this.#stopped && this.#tree.depth === 0 && isWholeNumber(this.#state)) {
      this.#stopped = true;
      this.#endNumber("");
      this.#stopped = false;
    }
    return this.done && !this.#stopped;
  }

  /** Forgets the text and its value. Followers stay; what they hear of the next text says `restart`. */
  reset(): void {
    this.#again ||= this.#state !== START;
    this.#state = START;
    this.#tree = new GrowingTree();
    this.#stopped = false;
    this.#piece = this.#source = "";
    this.#text.clear();
    this.#places = [];
    this.#place = undefined;
  }

  /**
   * Follows the values at a path. May be called at any time; what is there already is told at once, before this returns.
   *
   * Costs are those of the new text: nothing is told twice, and places that nobody follows cost nothing.
   *
   * @param path `$` and any of `.name`, `['name']`, `[0]`, `.*`, `[*]` (a part of RFC 9535).
   * @param listener Called with each piece of a string there, and once with every value there that is whole. It must not
   *   feed the builder; an error that it throws comes out of `feed`, `end` or `follow`, and ends the reading.
   * @returns A function that ends the following.
   * @throws TypeError for a path that is not understood.
   *
   * @example
   * const builder = new JsonValueBuilder();
   * builder.follow("$.content", (text, { done }) => process.stdout.write(done ? `${text}\n` : text));
   */
  follow(path: string, listener: JsonFollowListener): () => void {
    const follower: Follower = { segments: parsePath(path), listener, live: true };
    if (this.#tree.rooted) {
      const open = this.#tree.depth > 0 || this.#inString();
      const steps = this.#tree.steps(this.#inString());
      catchUp(follower, this.#tree.root, { open, steps, isContainer: (value) => this.#isContainer(value) });
    }
    this.#followers.push(follower);
    this.#joinOpen(follower);
    return () => {
      follower.live = false;
      const at = this.#followers.indexOf(follower);
      if (at >= 0) this.#followers.splice(at, 1);
    };
  }

  /** @returns False at a fault. */
  #read(text: string): boolean {
    const end = text.length;
    let at = 0;
    while (at < end) {
      const state = this.#state;
      if (state <= KEY_STRING) {
        const stop = runEnd(text, at, text.length);
        if (stop > at) this.#piece += text.slice(at, stop);
        if (stop === end) break;
        at = stop;
      }
      const unit = text.charCodeAt(at);
      const next = move(state, unit);
      if (next < FIRST_ACTION) {
        if (next !== state) this.#advance(state, next, unit, at);
        at++;
      } else if (next === NUMBER_END) {
        this.#endNumber(text.slice(this.#from, at));
      } else {
        if (next === FAULT || !this.#act(next)) return false;
        at++;
      }
    }
    return true;
  }

  /** A move that only changes the state. */
  #advance(state: number, next: number, unit: number, at: number): void {
    this.#state = next;
    if (next === COLON) {
      this.#tree.setKey(this.#piece);
      this.#piece = "";
    } else if (state >= START && state <= FIRST_ELEMENT) {
      this.#place = this.#nextPlace();
      this.#added = false;
      this.#from = at;
    } else if (state === ESCAPE || state === KEY_ESCAPE) {
      if (next <= KEY_STRING) this.#piece += unescaped(unit);
      else this.#unit = 0;
    } else if (state >= UNICODE_1 && state <= KEY_UNICODE_4) {
      this.#unit = this.#unit * 16 + (unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57);
      if (next <= KEY_STRING) this.#piece += String.fromCharCode(this.#unit);
    }
  }

  /** @returns False when the text is too deep. */
  #act(action: number): boolean {
    if (action === OPEN_OBJECT || action === OPEN_ARRAY) {
      const tree = this.#tree;
      if (tree.depth >= this.#maxDepth) return false;
      const place = this.#nextPlace();
      tree.enter(action === OPEN_OBJECT ? {} : []);
      this.#places[tree.depth] = place;
      this.#state = action === OPEN_OBJECT ? FIRST_KEY : FIRST_ELEMENT;
    } else if (action === CLOSE) {
      const place = this.#places[this.#tree.depth];
      this.#end(place, "", this.#tree.leave());
    } else if (action === VALUE_END) {
      if (this.#state === STRING) this.#endString();
      else this.#endScalar(this.#state === NULL_LAST ? null : this.#state === TRUE_LAST);
    }
    return true;
  }

  /** Puts the characters that are certain into the tree; holds back the first half of a surrogate pair. */
  #growString(): void {
    let piece = this.#piece;
    this.#piece = "";
    const last = piece.charCodeAt(piece.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#piece = piece.slice(-1);
      piece = piece.slice(0, -1);
    }
    this.#putString(piece);
    if (piece !== "" && this.#place !== undefined) tellPiece(this.#place, piece);
  }

  #endString(): void {
    const piece = this.#piece;
    this.#piece = "";
    this.#putString(piece);
    const text = this.#text.loose;
    // Its pieces would be kept beside the text once that is looked at.
    this.#text.clear();
    this.#end(this.#place, piece, text);
  }

  #putString(piece: string): void {
    if (this.#added) {
      if (piece === "") return;
      this.#text.add(piece);
      this.#tree.replace(this.#text.loose);
    } else {
      this.#text.clear();
      this.#text.add(piece);
      this.#tree.add(piece);
      this.#added = true;
    }
  }

  #endNumber(rest: string): void {
    const source = this.#source + rest;
    this.#source = "";
    if (this.#number === undefined) return this.#endScalar(Number(source));
    const value = this.#number(source);
    if (typeof value === "object" && value !== null) (this.#made ??= new WeakSet()).add(value);
    this.#endScalar(value);
  }

  #endScalar(value: unknown): void {
    this.#tree.add(value);
    this.#end(this.#place, "", value);
  }

  /** A value is whole and in the tree. The state is set first: a listener may ask for it. */
  #end(place: FollowedPlace | undefined, piece: string, value: unknown): void {
    this.#state = this.#tree.depth === 0 ? END : this.#tree.inArray ? AFTER_ELEMENT : AFTER_MEMBER;
    if (place !== undefined) tellWhole(place, piece, value);
  }

  /** The followed place of the value that begins. */
  #nextPlace(): FollowedPlace | undefined {
    const tree = this.#tree;
    if (tree.depth > 0) {
      const parent = this.#places[tree.depth];
      return parent && childPlace(parent, tree.nextStep() as string | number, tree.nextReplaces());
    }
    if (this.#followers.length === 0) return undefined;
    const root = newPlace("$", 0, this.#again);
    for (const follower of this.#followers) join(root, follower);
    return root;
  }

  /** Enters a late follower at the open values on its path. */
  #joinOpen(follower: Follower): void {
    const { depth } = this.#tree;
    const steps = this.#tree.steps(this.#inString());
    const inScalar = this.#inScalar();
    if (inScalar && steps.length < depth) steps.push(this.#tree.nextStep() as string | number);
    // A number or literal behind an equal key: the follower has just been told of the value that it will replace.
    const replaces = inScalar && !this.#inString() && this.#tree.nextReplaces();
    let path = "$";
    const levels = inScalar ? depth + 1 : depth;
    for (let level = 0; level < levels; level++) {
      const place =
        level < depth
          ? (this.#places[level + 1] ??= newPlace(path, level, false))
          : (this.#place ??= newPlace(path, level, replaces));
      join(place, follower);
      const step = steps[level];
      if (step === undefined || !leadsTo(follower, level, step)) return;
      path += normalizedStep(step);
    }
  }

  /** Whether a string value is being read and is in the tree. */
  #inString(): boolean {
    return this.#added && isInString(this.#state);
  }

  /** Whether a string, number or literal that is a value is being read. */
  #inScalar(): boolean {
    return isInString(this.#state) || this.#state >= MINUS;
  }

  #isContainer(value: unknown): value is object {
    return typeof value === "object" && value !== null && this.#made?.has(value) !== true;
  }
}

function isInString(state: number): boolean {
  return state === STRING || (state >= ESCAPE && state <= UNICODE_4);
}

/** The character that a one-letter escape stands for. */
function unescaped(unit: number): string {
  switch (unit) {
    case 0x62:
      return "\b";
    case 0x66:
      return "\f";
    case 0x6e:
      return "\n";
    case 0x72:
      return "\r";
    case 0x74:
      return "\t";
    default:
      return String.fromCharCode(unit);
  }
}
