// The balance between what the waiting frames claim and what is known to be true. Owns the comparison, lane by lane; each
// character is compared once.

import { type Said, spelled } from "./said.ts";

/**
 * Frames claim first, the reader confirms later: it holds back what may still prove to be something else. A lane is even
 * when all that was claimed on it is confirmed; the account is odd once the reader says anything that was not claimed.
 */
export class Account {
  readonly #ahead: Map<string, string> = new Map();
  #odd = false;

  /** True once the two sides contradict each other. */
  get odd(): boolean {
    return this.#odd;
  }

  /** True where nothing is claimed that is not confirmed, and nothing contradicts. */
  get even(): boolean {
    return !this.#odd && this.#ahead.size === 0;
  }

  /** Gives the account up: a frame is not what a strict client takes. */
  spoil(): void {
    this.#odd = true;
  }

  /** What a frame says to a strict client. Calls bear their number as the key. */
  claim(said: Said): void {
    const lane = laneOf(said);
    const text = textOf(said);
    if (text !== "") this.#ahead.set(lane, (this.#ahead.get(lane) ?? "") + text);
  }

  /** What the reader knows, calls by their number too. */
  confirm(said: Said): void {
    const lane = laneOf(said);
    const text = textOf(said);
    const ahead = this.#ahead.get(lane) ?? "";
    if (!ahead.startsWith(text)) this.#odd = true;
    else if (ahead.length === text.length) this.#ahead.delete(lane);
    else this.#ahead.set(lane, ahead.slice(text.length));
  }
}

function laneOf(said: Said): string {
  switch (said.kind) {
    case "text":
      return `${said.lane}:${said.choice}`;
    case "open":
      return `open:${said.call.key}`;
    case "add":
    case "restate":
    case "close":
      return `${said.kind}:${said.key}`;
    default:
      return "error";
  }
}

function textOf(said: Said): string {
  switch (said.kind) {
    case "text":
    case "add":
    case "restate":
      return said.text;
    case "open":
      return spelled(said.call);
    default:
      return ".";
  }
}
