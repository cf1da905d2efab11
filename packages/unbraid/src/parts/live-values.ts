// Live values of arguments that are still growing. Owns a value builder for each call that somebody looks at, fed from the
// reader's own events, so that looking costs what is new. Knows no wire.

import type { CallIdentity, StreamEvent } from "../events.ts";
import type { JsonFollowInfo } from "../json/follow.ts";
import { JsonValueBuilder } from "../json/value.ts";

/** What a listener is told beside the text. */
export interface FieldInfo extends JsonFollowInfo {
  /** The call that the field belongs to. */
  readonly call: CallIdentity;
}

/** Called with each new piece of a followed string, and once with `done`; for other values once. */
export type FieldListener = (text: string, info: FieldInfo) => void;

interface Followed {
  readonly tool: string;
  readonly path: string;
  readonly listener: FieldListener;
}

/** A call and the text that was given out for it so far. */
export interface GivenText {
  /** The call. */
  readonly call: CallIdentity;
  /** The text. */
  readonly text: string;
}

/** The live values of one reader, which alone calls these methods. */
export class LiveValues {
  readonly #followed: Followed[] = [];
  readonly #builders: Map<string, JsonValueBuilder> = new Map();
  /** Set once a value was looked at: from then on every call is built as it grows. */
  #all = false;

  /**
   * See `Reader.follow`.
   *
   * @throws TypeError where the path cannot be read, or there is no listener.
   */
  follow(tool: string, path: string, listener: FieldListener): void {
    if (typeof listener !== "function") throw new TypeError(`follow takes a function, not ${String(listener)}`);
    new JsonValueBuilder().follow(path, () => {});
    this.#followed.push({ tool, path, listener });
  }

  /**
   * See `Reader.partial`.
   *
   * @param key The call's key.
   * @param given Gives all calls so far.
   */
  partial(key: string, given: () => readonly GivenText[]): unknown {
    if (!this.#all) {
      this.#all = true;
      for (const { call, text } of given()) if (!this.#builders.has(call.key)) this.#begin(call, text);
    }
    return this.#builders.get(key)?.value;
  }

  /** Takes an event of the reader. */
  take(event: StreamEvent): void {
    switch (event.type) {
      case "call.start":
        if (event.call.kind !== "custom" && (this.#all || this.#followed.some(({ tool }) => tool === event.call.name)))
          this.#begin(event.call, "");
        return;
      case "call.append":
        if (this.#builders.size > 0) this.#builders.get(event.call.key)?.feed(event.text);
        return;
      case "call.replace":
        if (this.#builders.has(event.call.key)) this.#begin(event.call, event.text);
        return;
      case "call.retract":
        this.#builders.delete(event.call.key);
        return;
      default:
    }
  }

  /** Begins a call with the text that it holds already. */
  #begin(call: CallIdentity, text: string): void {
    const builder = new JsonValueBuilder();
    for (const { tool, path, listener } of this.#followed) {
      if (tool === call.name) builder.follow(path, (piece, info) => listener(piece, { ...info, call }));
    }
    this.#builders.set(call.key, builder);
    if (text !== "") builder.feed(text);
  }
}

/** Makes the live values of a reader; goes into `ReaderOptions.liveValues`. */
export type LiveValuesPart = () => LiveValues;

/**
 * Live values: `partial()` and `follow()` of a reader that was made by the entry of one wire. The readers of the main entry
 * have them by themselves.
 *
 * @example
 * import { liveValues } from "unbraid/parts";
 * import { openaiChat } from "unbraid/protocols/openai-chat";
 *
 * const reader = openaiChat.reader({ liveValues });
 * reader.follow("write_file", "$.content", (text, { done }) => editor.insert(text));
 */
export function liveValues(): LiveValues {
  return new LiveValues();
}
