// A value that grows in place: the root, the containers that are open, and where the next value goes. Owns how members
// and elements are set so that the result is what `JSON.parse` gives; knows no text.

type Container = Record<string, unknown> | unknown[];

/**
 * The tree under a value builder. Invariants: `#open[0 … depth-1]` are the open containers from the root inwards, each
 * already in the one before; `#keys[level]` is the key last read in the object there.
 */
export class GrowingTree {
  /** The value so far; undefined while nothing is there. */
  root: unknown = undefined;
  /** Whether there is a root value. */
  rooted = false;
  /** Containers that are open. */
  depth = 0;
  readonly #open: Container[] = [];
  readonly #keys: string[] = [];

  /** Sets the key under which the next value of the innermost object goes. */
  setKey(key: string): void {
    this.#keys[this.depth - 1] = key;
  }

  /** Whether the next value is an element of an array. */
  get inArray(): boolean {
    return Array.isArray(this.#open[this.depth - 1]);
  }

  /** The name or index of the next value; undefined for the root. */
  nextStep(): string | number | undefined {
    const top = this.#open[this.depth - 1];
    return Array.isArray(top) ? top.length : this.#keys[this.depth - 1];
  }

  /** Whether the next value takes the place of an earlier one, by an equal key. */
  nextReplaces(): boolean {
    const top = this.#open[this.depth - 1];
    return top !== undefined && !Array.isArray(top) && Object.hasOwn(top, this.#keys[this.depth - 1] as string);
  }

  /** Puts the next value in. */
  add(value: unknown): void {
    const top = this.#open[this.depth - 1];
    if (top === undefined) {
      this.root = value;
      this.rooted = true;
    } else if (Array.isArray(top)) top.push(value);
    else setMember(top, this.#keys[this.depth - 1] as string, value);
  }

  /** Puts a value where the last `add` put one. */
  replace(value: unknown): void {
    const top = this.#open[this.depth - 1];
    if (top === undefined) this.root = value;
    else if (Array.isArray(top)) top[top.length - 1] = value;
    else top[this.#keys[this.depth - 1] as string] = value;
  }

  /** Adds a container and goes inside. */
  enter(container: Container): void {
    this.add(container);
    this.#open.push(container);
    this.depth++;
  }

  /** Goes out of the innermost container, which is whole, and gives it. */
  leave(): Container {
    this.depth--;
    return this.#open.pop() as Container;
  }

  /** The steps from the root to the innermost open container; with `last`, to the value last added in it. */
  steps(last: boolean): (string | number)[] {
    const steps: (string | number)[] = [];
    for (let level = 0; level < (last ? this.depth : this.depth - 1); level++) {
      const container = this.#open[level];
      steps.push(Array.isArray(container) ? container.length - 1 : (this.#keys[level] as string));
    }
    return steps;
  }
}

/**
 * As `CreateDataProperty`: an own property whatever stands in the prototype, such as `__proto__`'s setter or, where the
 * prototype is frozen, a method that an assignment could not cover. Once the property is there, assigning is the same.
 */
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key in Object.prototype && !Object.hasOwn(object, key))
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
