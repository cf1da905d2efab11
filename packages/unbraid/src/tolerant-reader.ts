// The reader that gets right what servers get wrong: whatever framing the body has, whatever became of its frames and keys, and
// on any wire. Owns the choice of those rules, each of which is in a room of its own; the waiting until the wire is found; the
// stage for calls in the text, and the fast path.

import { Assembler } from "./assembly/assembler.ts";
import type { Sink } from "./assembly/sink.ts";
import type { WirePosition } from "./events.ts";
import type { FastPath } from "./fast-path.ts";
import { AutoFramer } from "./framing/auto.ts";
import type { ExtraFraming, Frame, Framer } from "./framing/frame.ts";
import { OddFrames } from "./odd-frames.ts";
import type { FragmentHost } from "./parts/fast-path.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { BaseReader, type ReadingRules } from "./base-reader.ts";
import type { ReaderOptions } from "./reader-options.ts";

/** What came before the wire was known: a frame, or an object with its position. */
export type Held =
  | { readonly frame: Frame }
  | { readonly frame?: undefined; readonly value: object; readonly at: WirePosition };

/** Finds the wire of one response from what comes first. */
export interface Finder {
  /** What takes the words of all its wires. */
  readonly assembler: typeof Assembler;
  /** The framings that only some of its wires come in. */
  readonly extraFramings: readonly ExtraFraming[];
  /** What came before the wire was known. */
  readonly held: readonly Held[];
  /** Takes bytes, and gives those that can be framed now, and the wire where they tell. */
  begin(bytes: Uint8Array): { readonly bytes?: Uint8Array; readonly protocol?: Protocol };
  /** The bytes that it still has, at the end of the body. */
  rest(): Uint8Array | undefined;
  /** Holds what came, and gives the wire where that tells. */
  take(held: Held): Protocol | undefined;
  /** The likeliest wire, now that it must be known; undefined where nothing has come. */
  decide(): Protocol | undefined;
}

/** Makes what finds the wire, where none was named. */
export type Detector = () => Finder;

/** See the file's head. */
export class TolerantReader extends BaseReader {
  /** Until the wire is known. */
  #finder: Finder | undefined;
  readonly #fast: FastPath | undefined;

  /**
   * @param protocol The wire, or a detector that finds it.
   * @param options See `ReaderOptions`.
   * @throws TypeError where an option is not known or is of another kind, or a limit is no whole number above 0.
   */
  constructor(protocol: Protocol | Detector, options: ReaderOptions = {}) {
    const wire = typeof protocol === "function" ? protocol() : protocol;
    super("start" in wire ? wire : undefined, options, rulesOf(wire));
    if (!("start" in wire)) this.#finder = wire;
    const { fastPath } = this.options;
    // Of no use to a wire that describes no fragments.
    if (typeof fastPath === "function" && (this.wire === undefined || this.wire.fragment !== undefined))
      this.#fast = fastPath(this.#fragmentHost()) as FastPath;
  }

  protected override body(bytes: Uint8Array): void {
    if (this.#finder === undefined) return super.body(bytes);
    const { bytes: ready, protocol } = this.#finder.begin(bytes);
    this.#found(protocol);
    if (ready !== undefined) super.body(ready);
  }

  protected override rest(): Uint8Array | undefined {
    return this.#finder?.rest();
  }

  protected override object(value: object, at: WirePosition): void {
    if (this.#finder === undefined) super.object(value, at);
    else this.#found(this.#finder.take({ value, at }));
  }

  protected override frame(frame: Frame, known?: unknown): void {
    if (this.#finder !== undefined) return this.#found(this.#finder.take({ frame }));
    if (this.known?.raw === undefined) return super.frame(frame, known);
    // How a text is cut says nothing: no id is made of it.
    this.assembler.at = this.position(frame.index, frame.start, frame.end);
    this.value(frame.data, undefined);
  }

  protected override decide(): void {
    this.#found(this.#finder?.decide());
  }

  /** Reads what was held, if the wire has been found. */
  #found(protocol: Protocol | undefined): void {
    const finder = this.#finder;
    if (protocol === undefined || finder === undefined) return;
    this.#finder = undefined;
    this.use(protocol);
    for (const each of finder.held) {
      if (this.over) return;
      if (each.frame === undefined) super.object(each.value, each.at);
      else this.frame(each.frame);
    }
  }

  protected override use(protocol: Protocol): void {
    const { rescue, tools } = this.options;
    const raw = protocol.raw !== undefined;
    if (protocol.raw !== undefined) this.framer = protocol.raw();
    if (rescue !== undefined && (raw || tools !== undefined))
      this.sink = rescue(this.assembler, { tools, raw }) as Sink;
    super.use(protocol);
  }

  protected override learn(frame: Frame, value: unknown): void {
    if (this.wire !== undefined) this.#fast?.learn(frame, value, this.wire);
  }

  protected override skim(limit: number, offset: number): Framer | undefined {
    return this.#fast?.framer(limit, offset);
  }

  /** What the fast path needs of the reader. */
  #fragmentHost(): FragmentHost {
    return {
      assembler: this.assembler,
      fragment: (fragment, values, frame, start, end) => {
        const fast = this.#fast;
        if (fast === undefined || this.over) return;
        this.assembler.at = this.position(frame, start, end);
        this.assembler.seed(fast);
        this.odd.sound?.();
        fragment.say(values, this.sink);
      },
      position: (frame, start, end) => this.position(frame, start, end),
      say: (event) => this.say(event),
    };
  }
}

function rulesOf({ assembler: Made = Assembler, extraFramings: extra }: Protocol | Finder): ReadingRules {
  return {
    assembler: (say, limits, tools) => new Made(say, limits, tools),
    framer: (options) => new AutoFramer({ ...options, extra }),
    oddFrames: (assembler, to) => new OddFrames(assembler, to),
  };
}
