// One lane of the time line: a call, the text or the reasoning, with a mark for each fragment. Owns what is known of each
// mark, and how the lane stood at any frame, found by a search instead of a replay.

import type { CallIdentity, RetractReason, ToolCall } from "unbraid";
import { ParseState, type ParseWord } from "../analysis/parse-state.ts";
import { Column } from "./column.ts";
import { Outline } from "./outline.ts";

/** What a lane shows. */
export type LaneKind = "call" | "text" | "reasoning";

const PARSE_WORDS: readonly ParseWord[] = ["fails", "parses", "broken", "text"];

/** How a lane stood at a frame. */
export interface Moment {
  /** `before` its first word, `open`, `closed`, or `retracted`. */
  readonly phase: "before" | "open" | "closed" | "retracted";
  /** The text so far. */
  readonly text: string;
  /** UTF-16 offset in `text` where the newest fragment begins; its end is the end of the text. */
  readonly newest: number;
  /** True where that fragment came in this very frame. */
  readonly now: boolean;
  /** What `JSON.parse` would do with the text so far. */
  readonly parse: ParseWord;
  /** Fragments so far. */
  readonly fragments: number;
  /** The places of its values; undefined for text that is no JSON. */
  readonly outline: Outline | undefined;
}

/** One text of a lane: it has several where the vendor contradicted itself. */
interface Version {
  text: string;
  readonly outline: Outline | undefined;
}

/** A lane. */
export class Lane {
  /** Unique in the recording: the call's key, `text:0`, `reasoning:0`. */
  readonly id: string;
  /** What it shows. */
  readonly kind: LaneKind;
  /** Of a call, from 1 in order of first sight; of the others the choice, from 0. */
  readonly number: number;
  /** What is known of the call: all once it is closed. */
  call: CallIdentity | undefined;
  /** The closed call. */
  closed: ToolCall | undefined;
  /** Why it was taken back. */
  retracted: RetractReason | undefined;
  /** The frame of its start. */
  readonly startFrame: number;
  /** The frame of its close or retraction; Infinity while there is none. */
  endFrame: number = Number.POSITIVE_INFINITY;
  /** The frame of each mark, ascending. */
  readonly frames: Column = new Column();
  readonly #totals: Column = new Column();
  readonly #ends: Column = new Column();
  readonly #versionOf: Column = new Column();
  readonly #parses: Column = new Column();
  readonly #versions: Version[] = [];
  readonly #state: ParseState | undefined;

  /**
   * @param kind What it shows.
   * @param id See `id`.
   * @param number See `number`.
   * @param startFrame The frame of its first word.
   * @param call The call, where it is one.
   */
  constructor(kind: LaneKind, id: string, number: number, startFrame: number, call?: CallIdentity) {
    this.kind = kind;
    this.id = id;
    this.number = number;
    this.startFrame = startFrame;
    this.call = call;
    this.#state = call === undefined ? undefined : new ParseState(call.kind);
    this.#newVersion();
  }

  /** How many marks it has. */
  get marks(): number {
    return this.frames.length;
  }

  /** UTF-16 units of the fragments of some marks together. */
  size(from: number, to: number): number {
    if (to <= from) return 0;
    return this.#totals.at(to - 1) - (from === 0 ? 0 : this.#totals.at(from - 1));
  }

  /** The whole text, as it stands at the end. */
  get text(): string {
    return this.#versions.at(-1)?.text ?? "";
  }

  /** Adds a fragment at the end of the text. */
  append(text: string, frame: number): void {
    const version = this.#versions.at(-1) as Version;
    version.text += text;
    version.outline?.feed(text);
    this.#mark(text, version.text.length, frame);
  }

  /** Takes another text for all that came so far. */
  replace(text: string, frame: number): void {
    this.#state?.reset();
    this.#newVersion();
    this.append(text, frame);
  }

  #newVersion(): void {
    const outlined = this.call !== undefined && this.call.kind !== "custom";
    this.#versions.push({ text: "", outline: outlined ? new Outline() : undefined });
  }

  #mark(text: string, end: number, frame: number): void {
    const word = this.#state?.feed(text).word ?? "text";
    this.frames.push(frame);
    this.#totals.push((this.marks < 2 ? 0 : this.#totals.at(this.marks - 2)) + text.length);
    this.#ends.push(end);
    this.#versionOf.push(this.#versions.length - 1);
    this.#parses.push(PARSE_WORDS.indexOf(word));
  }

  /** How it stood when a frame had been read. */
  moment(frame: number): Moment {
    const fragments = this.frames.upTo(frame);
    const phase = this.#phase(frame);
    const last = fragments - 1;
    const version = this.#versions[last < 0 ? 0 : this.#versionOf.at(last)] as Version;
    if (last < 0) {
      const parse = this.#state === undefined || this.call?.kind === "custom" ? "text" : "fails";
      return { phase, text: "", newest: 0, now: false, parse, fragments, outline: version.outline };
    }
    const at = this.frames.at(last);
    const first = this.frames.below(at);
    const sameText = first > 0 && this.#versionOf.at(first - 1) === this.#versionOf.at(last);
    return {
      phase,
      text: version.text.slice(0, this.#ends.at(last)),
      newest: sameText ? this.#ends.at(first - 1) : 0,
      now: at === frame,
      parse: PARSE_WORDS[this.#parses.at(last)] ?? "text",
      fragments,
      outline: version.outline,
    };
  }

  #phase(frame: number): Moment["phase"] {
    if (frame < this.startFrame) return "before";
    if (frame < this.endFrame) return "open";
    return this.retracted === undefined ? "closed" : "retracted";
  }
}
