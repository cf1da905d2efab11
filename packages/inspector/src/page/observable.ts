// State that parts of the page look at. Owns telling them of changes; knows no state.

import { useEffect, useReducer } from "preact/hooks";

/** Something that changes and says so. */
export class Observable {
  readonly #listeners: Set<() => void> = new Set();

  /** Calls a listener after every change. Gives the way to stop. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells everybody. */
  protected changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Draws the component again after every change. */
export function useChanges(observable: Observable): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => observable.subscribe(() => draw(undefined)), [observable]);
}
