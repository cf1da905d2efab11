// Live values of arguments that are still growing. Owns a value builder for each call that somebody looks at, fed from the
// reader's own events, so that looking costs what is new. Knows no wire.

import type { CallIdentity, StreamEvent } from "./events.ts";
import { type JsonFollowInfo, JsonValueBuilder } from "./json/index.ts";

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

/** See the file's head. */
export class FollowedFields {
  readonly #followed: Followed[] = [];
  readonly #builders: Map<string, JsonValueBuilder> = new Map();
  /** Set once a value was looked at: from then on every call is built as it grows. */
  #all = false;

  /** @throws TypeError where the path cannot be read. */
  add(tool: string, path: string, listener: FieldListener): void {
    new JsonValueBuilder().follow(path, () => {});
    this.#followed.push({ tool, path, listener });
  }

  /** Builds every call from now on. */
  watchAll(): void {
    this.#all = true;
  }

  /** True once `watchAll` was called. */
  get watchesAll(): boolean {
    return this.#all;
  }

  /** The value so far; undefined where nothing is known of it. */
  value(key: string): unknown {
    return this.#builders.get(key)?.value;
  }

  /** Whether the call is built already. */
  knows(key: string): boolean {
    return this.#builders.has(key);
  }

  /** Begins a call with the text that it holds already. */
  begin(call: CallIdentity, text: string): void {
    const builder = new JsonValueBuilder();
    for (const { tool, path, listener } of this.#followed) {
      if (tool === call.name) builder.follow(path, (piece, info) => listener(piece, { ...info, call }));
    }
    this.#builders.set(call.key, builder);
    if (text !== "") builder.feed(text);
  }

  /** Takes an event of the reader. */
  take(event: StreamEvent): void {
    switch (event.type) {
      case "call.start":
        if (event.call.kind !== "custom" && (this.#all || this.#followed.some(({ tool }) => tool === event.call.name)))
          this.begin(event.call, "");
        return;
      case "call.append":
        if (this.#builders.size > 0) this.#builders.get(event.call.key)?.feed(event.text);
        return;
      case "call.replace":
        if (this.#builders.has(event.call.key)) this.begin(event.call, event.text);
        return;
      case "call.retract":
        this.#builders.delete(event.call.key);
        return;
      default:
    }
  }
}
