// What a protocol may say to the assembler. Owns the interface between the two and no behaviour: a protocol translates
// one frame into these words, keeps no argument text, and takes no decision about identity or closing.

import type { CallKind, Dropped, FinishReason, NoticeCode, RetractReason, WireVariant } from "../events.ts";

/**
 * The keys a wire gives a call. Values are taken as they stand on the wire: empty strings, null and the words "null",
 * "None" and "undefined" count as absent, and an index counts only when it is a whole number of 0 or more, or its
 * decimal digits as a string.
 */
export interface CallKey {
  /** Which candidate answer; absent means 0. */
  readonly choice?: unknown;
  /** The wire's own number for the call. */
  readonly index?: unknown;
  /** The wire's second name for the call, where it has one (Responses: the item id). */
  readonly item?: unknown;
  /** The id that a result must quote. */
  readonly id?: unknown;
}

/** One mention of a call on the wire. */
export interface CallDelta extends CallKey {
  readonly name?: unknown;
  readonly kind?: CallKind;
  /** `text`: the arguments are free text and never parsed. Default `json`. */
  readonly format?: "json" | "text";
  /** A string is a fragment of the text; any other value but null is the whole value. */
  readonly args?: unknown;
  /** The vendor says that the call is not whole. */
  readonly cut?: boolean;
  /** Of a header: the arguments, should no fragment of them come. */
  readonly initial?: unknown;
  /** Vendor fields to be echoed with the call; merged over earlier ones. */
  readonly echo?: Readonly<Record<string, unknown>>;
}

/** What every assembler takes from a protocol: wires whose calls come whole, or under keys that cannot be trusted. */
export interface Sink {
  /** Says which response this is, and of which of the vendor's wires. */
  response(id: unknown, model?: unknown, variant?: WireVariant): void;
  /** A mention whose keys cannot be trusted (Chat Completions): the identity rules decide what it is. */
  delta(delta: CallDelta): void;
  /** A frame that carries a whole call and is its own close signal. */
  whole(delta: CallDelta): void;
  /** The response's own final list of the calls of one choice: it may add and confirm, it may not remove. */
  list(calls: readonly CallDelta[]): void;
  /** Takes back every call of the response. */
  retract(reason: RetractReason): void;
  /** True while a call's arguments have begun and are not whole. */
  readonly midCall: boolean;
  /** Text for the user; `item`: the vendor's id or number of what holds it. */
  text(text: unknown, choice?: unknown, refusal?: boolean, item?: unknown): void;
  /**
   * Reasoning; `field` is the wire's name for it, where it must go back under the same one, `item` the vendor's id or
   * number of what holds it.
   */
  reasoning(text: unknown, choice?: unknown, field?: string, item?: unknown): void;
  /** A vendor part to be echoed in place. */
  part(part: unknown, choice?: unknown): void;
  usage(raw: unknown, inputTokens?: unknown, outputTokens?: unknown): void;
  /** A finish word. `reason` is what it means; null leaves the meaning to other signals. */
  finish(raw: string, reason: FinishReason | null, choice?: unknown): void;
  /** An error that ends the response; with `passing` one that does not: it says so of something else on the wire. */
  error(code: unknown, message: unknown, raw: unknown, passing?: boolean): void;
  notice(code: NoticeCode, message: string, dropped?: Dropped): void;
  /**
   * The wire's terminal signal: the response is over.
   *
   * @param reason Where the wire has no finish words: what the signal itself says, null where only the calls tell.
   */
  end(reason?: FinishReason | null): void;
}

/** What an assembler of a wire with sound keys takes beside: such a wire opens and closes each call. */
export interface KeyedSink extends Sink {
  /** A header frame: a call opens under its keys. The name is whole. */
  open(delta: CallDelta): void;
  /** A fragment for the call under these keys. */
  append(key: CallKey, text: unknown, headerMayFollow?: boolean): void;
  /**
   * The vendor's final text for the call under these keys; it is the vendor's own signal that the text is over, unless
   * `unsure`: the vendor says it of calls that were cut short too.
   */
  final(delta: CallDelta, unsure?: boolean): void;
  /** The vendor's own close signal; may bring a last word on identity. `cut`: the vendor says that the call is not whole. */
  close(delta: CallDelta, cut?: boolean): void;
  /** Whether these keys name a call that is not over. */
  knows(key: CallKey): boolean;
}

/** What an assembler of a wire takes beside that, where the wire carries several responses. */
export interface SessionSink extends KeyedSink {
  /** Takes back every call of the response, or the one that `which` picks, which may be of an earlier response. */
  retract(reason: RetractReason, which?: CallKey): void;
  /** Another response begins on the same wire. Does nothing while one is open. */
  begin(): void;
  /**
   * What takes the frames of one lane, where a wire carries several responses side by side; they share nothing but the
   * numbering of calls. What is said until the next frame belongs to this lane.
   *
   * @param name The wire's own name for the lane, absent for the unnamed one.
   */
  lane(name: unknown): SessionSink;
  /** The session shows that the call with this id has got its result. */
  answered(id: unknown): void;
}
