// The argument text of one call: what is appended, what only restates or repeats, and what the text amounts to when the
// call closes. Owns the grammar rules. Knows no keys, no events and no vendor.

import { JsonScanner } from "../json/scanner.ts";
import type { NoticeCode } from "../events.ts";
import { isResidue } from "./control-tokens.ts";
import { HeldText } from "./held-text.ts";
import { BLANK, BLANK_LEAD, EMPTY_OBJECT, isWholeObject, stringIn } from "./json-texts.ts";
import { sameArguments } from "./same-arguments.ts";
import { Snapshots } from "./snapshots.ts";

/** An irregularity in the text, to be said as a notice of the call. */
export interface TextNotice {
  readonly code: NoticeCode;
  /** The text that was kept out. */
  readonly dropped: string | undefined;
}

/** Fragments that are no snapshots after which a stream no longer counts as cumulative. */
const MAX_STRAYS = 16;
/** Longest text behind the value in which an empty object is looked for. */
const MAX_EMPTY = 64;

/**
 * Argument text as it grows.
 *
 * Invariants: `held` is the text accepted so far and the scanner has read exactly `held`; `tail` is non-empty only
 * while the scanner stands behind a closed value, and holds what came after it and is not decided yet; what was given
 * out to be appended, followed by `#pending`, is `held`, except between a reset and the next `#show`, when `#given` is
 * what was given out before it.
 */
export class ArgumentText {
  readonly scanner: JsonScanner;
  readonly #held: HeldText = new HeldText();
  /** Notices since the last `takeNotices`. */
  #notices: TextNotice[] | undefined;
  #tail = "";
  /** The tail is neither a repeat of the value nor an empty object: the close decides what it is. */
  #strange = false;
  /** The closed value, trimmed, while text behind it is compared with it. */
  #value: string | undefined;
  /** Accepted and not given out. */
  #pending = "";
  /** What was given out before the text was started anew; undefined in the normal case. */
  #given: string | undefined;
  #replaced = false;
  #cumulative = false;
  readonly #snapshots: Snapshots = new Snapshots();
  /** Fragments since cumulative mode began that were no snapshots. */
  #strays = 0;
  /** True for free text, which is never parsed and never restated. */
  readonly plain: boolean;

  /** @param maxDepth Levels of nesting that are read. */
  constructor(plain: boolean, maxDepth: number) {
    this.plain = plain;
    this.scanner = new JsonScanner({ maxDepth });
  }

  /** The text accepted so far. Looking into it may cost its length, once for all that has come. */
  get held(): string {
    return this.#held.text;
  }

  /** True when a whole JSON value stands there; what follows can only repeat it or be wrong. */
  get whole(): boolean {
    return this.scanner.state === "closed";
  }

  /** Whether `text` could say again what is held: all of it, or the fragments so far as snapshots. Changes nothing. */
  restatedBy(text: string): boolean {
    return (
      (this.#held.length > 0 && text.length >= this.#held.length && text.startsWith(this.held)) ||
      this.#snapshots.goesOn(text)
    );
  }

  /** The last fragment, where all of them were snapshots, as it seems, and it is whole. */
  get wholeSnapshot(): string | undefined {
    const { newest } = this.#snapshots;
    return newest !== undefined && !this.whole && isWholeObject(newest) ? newest : undefined;
  }

  /** True when nothing but white space has come. */
  get blank(): boolean {
    return this.plain ? this.#held.length === 0 : this.scanner.state === "empty";
  }

  /** True when the text says that there are no arguments, or that they are to come. */
  get empty(): boolean {
    return !this.plain && (this.blank || this.isNull);
  }

  /** True when the text can become no value any more: whatever comes then fits as well as anything. */
  get broken(): boolean {
    return this.scanner.state === "broken";
  }

  /** Text that came behind the closed value and is not decided. */
  get tail(): string {
    return this.#tail;
  }

  /** What was given out to be appended so far. */
  get given(): string {
    return this.#given ?? this.held.slice(0, this.#held.length - this.#pending.length);
  }

  /** UTF-16 units kept. */
  get size(): number {
    return this.#held.length + this.#tail.length;
  }

  /** Whether `text` could be the plain continuation of what is held. Changes nothing. */
  continues(text: string): boolean {
    if (this.plain || this.broken) return true;
    const fits = this.scanner.feed(text);
    this.scanner.undo();
    return fits;
  }

  /**
   * Takes a fragment by the rules, in this order: plain append; behind a closed value see `#takeBehind`; restates
   * everything; an empty object that adds nothing; else it breaks the text, which keeps it all.
   *
   * @returns The text to append downstream now, often the fragment itself, empty where nothing can be said yet.
   */
  add(fragment: string): string {
    if (fragment === "") return "";
    if (this.plain) {
      this.#held.add(fragment);
      return this.#given === undefined ? fragment : this.#show();
    }
    const scanner = this.scanner;
    this.#snapshots.take(fragment);
    // The hot path.
    if (this.#goesOn) {
      if (scanner.feed(fragment)) {
        this.#held.add(fragment);
        if (!this.#isEmptyObject()) return fragment;
        this.#pending = fragment;
        return "";
      }
      this.#misfit(fragment, false);
    } else {
      this.#take(fragment);
    }
    return this.#show();
  }

  /** An object is open, and all of it is given out. */
  get #goesOn(): boolean {
    return (
      this.scanner.state === "open" &&
      this.scanner.kind === "object" &&
      !this.#cumulative &&
      this.#pending === "" &&
      this.#given === undefined
    );
  }

  /** True where no rule but the grammar has a say in what comes next: it is appended as long as the value stays open. */
  get plainlyOpen(): boolean {
    if (this.plain) return this.#given === undefined;
    return this.#goesOn && this.#snapshots.over && this.#notices === undefined && !this.#replaced;
  }

  /** Takes what the scanner has read already, where the text was `plainlyOpen`: it is given out. */
  takeRead(text: string): void {
    this.#held.add(text);
  }

  /** Takes a fragment whatever the text has come to. */
  #take(fragment: string): void {
    const before = this.scanner.state;
    if (this.#cumulative && this.#restates(fragment)) return;
    if (this.#tail !== "") {
      this.#takeBehind(fragment);
    } else if (before === "broken") {
      if (!this.#restates(fragment)) this.#accept(fragment);
    } else if (this.scanner.feed(fragment)) {
      this.#held.add(fragment);
      this.#pending += fragment;
    } else {
      this.#misfit(fragment, before === "closed");
    }
  }

  /** A fragment that is no plain continuation. The scanner has just read it. */
  #misfit(fragment: string, wasClosed: boolean): void {
    const fault = this.scanner.fault;
    const end = (fault?.offset ?? 0) - this.#held.length;
    this.scanner.undo();
    if (wasClosed) {
      this.#takeBehind(fragment);
    } else if (this.#restates(fragment) || this.#isSnapshot(fragment)) {
      return;
    } else if (fault?.code === "trailing-text") {
      // {"city":"Lima"}<|im_end|>
      //                ^ the value ends inside this fragment
      this.#accept(fragment.slice(0, end));
      this.#takeBehind(fragment.slice(end));
    } else if (EMPTY_OBJECT.test(fragment)) {
      this.#notice("placeholder-arguments", fragment);
    } else {
      this.#accept(fragment);
    }
  }

  #accept(text: string): void {
    if (!this.plain) this.scanner.feed(text);
    this.#held.add(text);
    this.#pending += text;
  }

  /** The fragment says everything so far again, and more: cumulative servers. Once shown, it stays so. */
  #restates(fragment: string): boolean {
    const held = this.held;
    if (held === "") return false;
    if (this.#cumulative && fragment.length < held.length) {
      const stale = fragment.length > 1 && held.startsWith(fragment);
      if (stale) this.#notice("cumulative-arguments");
      // Each look flattens the text that is held: a stream that is not cumulative after all must not pay for it for ever.
      else if (++this.#strays > MAX_STRAYS) this.#cumulative = false;
      return stale;
    }
    if (!fragment.startsWith(held)) return false;
    const more = fragment.slice(held.length);
    if (this.scanner.state === "closed" && !BLANK.test(more)) return false;
    // Of broken text that is no object an equal fragment says nothing: it is more of the same.
    if (more === "" && this.scanner.state === "broken" && this.scanner.kind !== "object") return false;
    if (more === "" && !this.#cumulative) {
      this.#notice("repeated-arguments", fragment);
      return true;
    }
    // A single bracket said twice is no proof that the server is cumulative.
    if (held.trim().length > 1) this.#cumulative = true;
    this.#notice("cumulative-arguments");
    this.#accept(more);
    return true;
  }

  /** Each fragment began with the one before, the plain reading fails, and this one is sound for itself. */
  #isSnapshot(fragment: string): boolean {
    const scanner = new JsonScanner();
    if (this.#snapshots.newest !== fragment || !scanner.feed(fragment) || scanner.kind !== "object") return false;
    this.#takeSnapshot(fragment);
    return true;
  }

  #takeSnapshot(text: string): void {
    this.#cumulative = true;
    this.#restart(text, "cumulative-arguments");
  }

  /** Text behind a closed value: white space, a placeholder's real value, a repeat, an empty object, or undecided. */
  #takeBehind(text: string): void {
    let rest = text;
    while (rest !== "") {
      if (this.#tail === "") {
        const [blank = ""] = BLANK_LEAD.exec(rest) ?? [];
        this.#accept(blank);
        rest = rest.slice(blank.length);
        if (rest.startsWith("{") && this.isPlaceholder) {
          this.#restart("", "placeholder-arguments", this.held.trim());
          return this.#take(rest);
        }
      }
      const tail = (this.#tail += rest);
      if (this.#strange) return;
      const value = (this.#value ??= this.held.trim());
      rest = "";
      if (tail.length <= MAX_EMPTY && EMPTY_OBJECT.test(tail)) {
        this.#notice("placeholder-arguments", tail);
        this.#tail = "";
      } else if (tail.startsWith(value)) {
        this.#notice("repeated-arguments", value);
        this.#tail = "";
        rest = tail.slice(value.length);
      } else {
        this.#strange = tail.length >= value.length;
      }
    }
  }

  #isEmptyObject(): boolean {
    return this.scanner.state === "closed" && this.#held.length <= 64 && EMPTY_OBJECT.test(this.held);
  }

  /** `{}` or `null` where the real arguments are still to come (https://github.com/microsoft/autogen/pull/7549). */
  get isPlaceholder(): boolean {
    return this.#isEmptyObject() || this.isNull;
  }

  /** True when the text is the literal null, which means no arguments. */
  get isNull(): boolean {
    return this.scanner.kind === "literal" && this.scanner.canEnd && this.held.trim() === "null";
  }

  /** Takes a text in the place of what is held. */
  #restart(text: string, code: NoticeCode, dropped?: string): void {
    this.#notice(code, dropped);
    this.#reset();
    this.#accept(text);
  }

  #reset(): void {
    this.#given = this.given;
    this.scanner.reset();
    this.#held.clear();
    this.#pending = "";
    this.#value = undefined;
    this.#tail = "";
    this.#strange = false;
  }

  /**
   * Takes the vendor's final text. It wins over what was streamed, but an empty one removes nothing.
   *
   * @returns As `add`.
   */
  final(text: string): string {
    if (this.plain ? text === "" : this.#saysNothing(text)) return "";
    if (this.#tail === "") {
      if (this.#held.is(text) || (this.whole && sameArguments(text, this.held))) return "";
      if (text.startsWith(this.held)) {
        if (!this.blank) this.#notice("suffix-recovered");
        this.#accept(text.slice(this.#held.length));
        return this.#show();
      }
    }
    if (this.#tail !== "" || text.trim() !== this.held.trim()) this.#notice("final-disagrees", this.held + this.#tail);
    this.#reset();
    this.#accept(text);
    return this.#show();
  }

  /** A final text that is blank or an empty object, where something was streamed. */
  #saysNothing(text: string): boolean {
    const blank = BLANK.test(text);
    if (!blank && !EMPTY_OBJECT.test(text)) return false;
    if (this.blank) return blank;
    if (!this.isPlaceholder) this.#notice("final-disagrees");
    return true;
  }

  /** True once after the text was started anew and no longer starts with what was given out: give out all of `held`. */
  takeReplaced(): boolean {
    const replaced = this.#replaced;
    this.#replaced = false;
    return replaced;
  }

  /** Gives out what is accepted and not given out, unless it may still prove to be something else. */
  #show(closing = false): string {
    if (!closing && this.#waits()) return "";
    const given = this.#given;
    if (given !== undefined) {
      if (!closing && this.#held.length < given.length && given.startsWith(this.held)) return "";
      this.#given = undefined;
      const fits = this.held.startsWith(given);
      this.#replaced = !fits;
      this.#pending = fits ? this.held.slice(given.length) : "";
    }
    const text = this.#pending;
    this.#pending = "";
    return text;
  }

  /** An empty object may be a placeholder, a string may hold the object, null means none: these wait for the close. */
  #waits(): boolean {
    if (this.plain || this.broken) return false;
    const { kind } = this.scanner;
    return kind === "object" ? this.#isEmptyObject() : kind !== "array" && kind !== "number";
  }

  /**
   * Decides what is still open when the call closes: text behind the value, a string that holds the object, and what
   * was held back.
   *
   * @param well The response ended well.
   * @param nullIsNone The literal null is about to be replaced by an empty object, and is not given out.
   * @returns The text to append downstream.
   */
  settle(well = false, nullIsNone = false): string {
    const tail = this.#tail;
    this.#tail = "";
    // `"{\"city\": \"Prague\"}"` behind the same object is a replay by the server's other code path.
    if (isResidue(tail)) this.#notice("control-token-after-arguments", tail);
    else if (stringIn(tail)?.trim() === this.held.trim()) this.#notice("repeated-arguments", tail);
    else this.#accept(tail);
    // At a good end text that is not whole, and a last fragment that is: the fragments were snapshots all along.
    const snapshot = well && this.scanner.state === "open" ? this.wholeSnapshot : undefined;
    if (snapshot !== undefined) this.#takeSnapshot(snapshot);
    // A JSON string that holds the whole object is unwrapped once; nothing else can be meant by it.
    const inner = this.scanner.kind === "string" ? stringIn(this.held) : undefined;
    if (inner !== undefined && isWholeObject(inner)) this.#restart(inner, "double-encoded");
    return nullIsNone && this.isNull ? "" : this.#show(true);
  }

  /** Puts `{}` where no arguments came. */
  setEmptyObject(): string {
    if (this.isNull) this.#restart("{}", "null-arguments");
    else this.#accept("{}");
    return this.settle();
  }

  /** Notes an irregularity; `dropped`: the text that was kept out. */
  #notice(code: NoticeCode, dropped?: string): void {
    (this.#notices ??= []).push({ code, dropped });
  }

  /** The notices since the last call, none in the normal case. */
  takeNotices(): readonly TextNotice[] | undefined {
    const notices = this.#notices;
    this.#notices = undefined;
    return notices;
  }
}
