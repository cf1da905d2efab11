// One call while it is being assembled, and the calls of one choice with the aliases they have learned. Owns state only:
// which mention belongs where is decided in identity.ts, what is said about it in assembler.ts.

import type { CallIdentity, CallKind } from "../events.ts";
import { defined } from "../defined.ts";
import { present, wholeIndex } from "../wire-values.ts";
import { ArgumentText } from "./arguments.ts";
import type { CallKey } from "./sink.ts";

/**
 * A call as it is known so far.
 *
 * Invariants: `started` is set before any append is said and stays set; once `over` (closed, dropped or retracted)
 * nothing more is said of the call; a record with `original` is a header that came again and has said nothing yet.
 */
export class CallRecord {
  readonly key: string;
  readonly choice: ChoiceCalls;
  readonly kind: CallKind;
  readonly args: ArgumentText;
  /** The vendor's id, byte for byte. */
  wireId: string | undefined;
  /** The id that is given out, fixed when the call starts unless the vendor brings one later. */
  id = "";
  madeId = false;
  /** The name as the wire spelled it so far. */
  rawName = "";
  /** A control token came where the name stood: what follows it is no name. */
  leaking = false;
  /** The name given out. */
  name = "";
  /** 0-based order, given at the start. */
  index = -1;
  started = false;
  over = false;
  /** The arguments that stood in the header, while no fragment has come. */
  initial: string | undefined;
  /** The wire's second name for the call, as it was last seen. */
  item: string | undefined;
  /** Opened by a header frame of a wire that also closes each call. */
  keyed = false;
  /** The vendor's own signal that the call is whole has come. */
  signalled = false;
  /** The vendor said that the call is not whole. */
  cut = false;
  /** Argument text that was refused because of the limit. */
  overLimit = false;
  echo: Record<string, unknown> | undefined;
  /** Text that the rules gave out before the start; for a header that came again, its raw text. */
  ahead = "";
  /** The call that this header repeats, while nothing shows that it is another. */
  original: CallRecord | undefined;
  /** The call whose id and name this one had when it proved to be another. */
  collidesWith: CallRecord | undefined;
  /** Notices said once already. */
  readonly said: Set<string> = new Set();
  /** UTF-8 bytes of the argument text, counted only once the text could exceed its limit; -1 before. */
  bytes = -1;
  response: string | undefined;
  #identity: CallIdentity | undefined;

  constructor(key: string, choice: ChoiceCalls, kind: CallKind, plain: boolean, maxDepth: number) {
    this.key = key;
    this.choice = choice;
    this.kind = kind;
    this.args = new ArgumentText(plain, maxDepth);
  }

  /** True while only text is known of the call. */
  get headless(): boolean {
    return this.rawName === "" && this.wireId === undefined;
  }

  /** True where the call can still take text by the grammar: its value has not ended. */
  get unfinished(): boolean {
    if (this.original !== undefined) return !this.over && this.ahead.length < this.original.args.held.length;
    return !this.over && !this.signalled && !this.args.whole && this.args.wholeSnapshot === undefined;
  }

  /** The plain record that events carry; one object for as long as nothing in it changes. */
  get identity(): CallIdentity {
    const held = this.#identity;
    if (held !== undefined && held.id === this.id && held.name === this.name) return held;
    return (this.#identity = defined({
      key: this.key,
      id: this.id,
      name: this.name,
      kind: this.kind,
      choice: this.choice.number,
      index: this.index,
      response: this.response,
      madeId: this.madeId || undefined,
    }));
  }
}

/** The calls of one choice and what they are known by. An alias points to the newest call that learned it. */
export class ChoiceCalls {
  readonly number: number;
  /** In order of first sight; repeats that were dropped and calls that were retracted are taken out. */
  calls: CallRecord[] = [];
  // An absent key finds nothing.
  readonly byIndex: Map<number | undefined, CallRecord> = new Map();
  readonly byId: Map<string | undefined, CallRecord> = new Map();
  readonly byItem: Map<string | undefined, CallRecord> = new Map();
  /** Ids given out. */
  readonly givenIds: Map<string, CallRecord> = new Map();
  /** Ids that named more than one call. */
  readonly reusedIds: Set<string> = new Set();
  /** Set once an index named a second call while the first was open: items are then the better key. */
  indexReused = false;
  /** Collects fragments that belong nowhere. */
  orphans: CallRecord | undefined;
  /** The call last opened. */
  newest: CallRecord | undefined;
  finished = false;
  readonly #unfinished: Set<CallRecord> = new Set();

  constructor(number: number) {
    this.number = number;
  }

  /** Whether an id was given out to another call. */
  isGiven(id: string, call: CallRecord): boolean {
    const owner = this.givenIds.get(id);
    return owner !== undefined && owner !== call;
  }

  /** The call under these keys: index first, then item, then id; without any key the newest. */
  find(key: CallKey): CallRecord | undefined {
    const index = wholeIndex(key.index);
    const item = present(key.item);
    const id = present(key.id);
    if (index === undefined && item === undefined && id === undefined) return this.newest;
    const byItem = this.indexReused ? this.byItem.get(item) : undefined;
    return byItem ?? this.byIndex.get(index) ?? this.byItem.get(item) ?? this.byId.get(id);
  }

  add(call: CallRecord): void {
    this.calls.push(call);
    this.newest = call;
    this.#unfinished.add(call);
  }

  remove(call: CallRecord): void {
    this.calls = this.calls.filter((other) => other !== call);
    this.#unfinished.delete(call);
    if (this.newest === call) this.newest = this.calls.at(-1);
  }

  /** Notes that text came for a call, which may have opened its value anew. */
  touch(call: CallRecord): void {
    this.#unfinished.add(call);
  }

  /** The only call whose value has not ended; `undefined` for none, `"several"` for more. Amortised constant. */
  soleUnfinished(): CallRecord | "several" | undefined {
    let sole: CallRecord | undefined;
    for (const call of this.#unfinished) {
      if (!call.unfinished) this.#unfinished.delete(call);
      else if (sole !== undefined) return "several";
      else sole = call;
    }
    return sole;
  }

  /** Forgets a call's aliases that still point to it, and its id: what takes the call's place may have it. */
  forget(call: CallRecord): void {
    for (const map of [this.byIndex, this.byId, this.byItem, this.givenIds] as Map<unknown, CallRecord>[]) {
      for (const [alias, known] of map) if (known === call) map.delete(alias);
    }
  }
}
