// A stream under a path that names no wire. Owns the waiting for its first frame, which tells whether it is mended or passes
// untouched.

import type { ProtocolName } from "unbraid";
import { createFramer } from "unbraid/framing";
import type { OutFraming } from "../mend/dialect.ts";
import type { Mender } from "../mend/mender.ts";
import type { Flow } from "./relay.ts";
import { wireOfFrame } from "./wire-of.ts";

/** Bytes after which a stream without a frame that tells is none of ours. */
const MAX_HEAD = 64 * 1024;

/** See the file's head. */
export class Sniffer implements Flow {
  readonly #make: (protocol: ProtocolName, framing: OutFraming) => Mender<unknown> | undefined;
  readonly #framer = createFramer({ maxFrameBytes: MAX_HEAD });
  #held: Uint8Array[] = [];
  #size = 0;
  #decided = false;
  #mender: Mender<unknown> | undefined;

  /**
   * @param make Makes what mends the wire; undefined where it is not mended.
   */
  constructor(make: (protocol: ProtocolName, framing: OutFraming) => Mender<unknown> | undefined) {
    this.#make = make;
  }

  get over(): boolean {
    return this.#mender?.over ?? false;
  }

  get finishing(): boolean {
    return this.#mender?.finishing ?? false;
  }

  get waiting(): boolean {
    return this.#mender?.waiting ?? !this.#decided;
  }

  /** Whether anything was written otherwise than it came. */
  get mended(): boolean {
    return this.#mender?.mended ?? false;
  }

  get wordless(): boolean {
    return this.#mender === undefined;
  }

  push(chunk: Uint8Array): readonly Uint8Array[] {
    if (this.#mender !== undefined) return this.#mender.push(chunk);
    if (this.#decided) return [chunk];
    this.#held.push(chunk);
    this.#size += chunk.length;
    let seen = false;
    this.#framer.push(chunk, ({ data }) => {
      if (this.#decided) return;
      seen = true;
      this.#decide(parsed(data));
    });
    if (!this.#decided && !seen && this.#size < MAX_HEAD) return [];
    this.#decided = true;
    return this.#release();
  }

  end(): readonly Uint8Array[] {
    const held = this.#decided ? [] : this.#release();
    return [...held, ...(this.#mender?.end() ?? [])];
  }

  fail(error: unknown, code?: string): readonly Uint8Array[] {
    if (this.#mender !== undefined) return this.#mender.fail(error, code);
    return this.#decided ? [] : this.#release();
  }

  cancel(): void {
    this.#mender?.cancel();
  }

  #decide(value: unknown): void {
    const protocol = wireOfFrame(value);
    // A ping or a comment may come first; the next frame tells.
    if (protocol === undefined && (value as { type?: unknown } | undefined)?.type === "ping") return;
    this.#decided = true;
    if (protocol === undefined) return;
    const framing = this.#framer.framing === "sse" ? "sse" : "ndjson";
    this.#mender = this.#make(protocol, framing);
  }

  #release(): readonly Uint8Array[] {
    const held = this.#held;
    this.#held = [];
    const mender = this.#mender;
    return mender === undefined ? held : held.flatMap((chunk) => mender.push(chunk));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
