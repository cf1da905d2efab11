// The argument text of one call: what is appended, what only restates or repeats, and what the text amounts to when the
// call closes. Owns the grammar rules. Knows no keys, no events and no vendor.

import { JsonScanner } from "../json/scanner.ts";
import type { NoticeCode } from "../events.ts";
import { Behind, EMPTY_OBJECT } from "./behind.ts";
import { isResidue } from "./control-tokens.ts";
import { HeldText } from "./held-text.ts";
import { isWholeObject, stringIn } from "./json-texts.ts";
import { sameArguments } from "./same-arguments.ts";
import { Snapshots } from "./snapshots.ts";

/** An irregularity in the text, to be said as a notice of the call. */
export interface TextNotice {
  readonly code: NoticeCode;
  readonly message: string;
  /** The text that was kept out. */
  readonly dropped?: string;
  readonly reason?: string;
}

/** Fragments that are no snapshots after which a stream no longer counts as cumulative. */
const MAX_STRAYS = 16;
const BLANK = /^[ \t\r\n]*$/;
const BLANK_LEAD = /^[ \t\r\n]+/;

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
  readonly #behind: Behind = new Behind();
  /** The closed value, trimmed, while text behind it is compared with it. */
  #value: string | undefined;
  /** Accepted and not given out. */
  #pending = "";
  /** Characters given out. */
  #shown = 0;
  /** What was given out before the text was started anew; undefined in the normal case. */
  #given: string | undefined;
  #replaced = false;
  #cumulative = false;
  readonly #snapshots: Snapshots = new Snapshots();
  /** Fragments since cumulative mode began that were no snapshots. */
  #strays = 0;
  readonly #plain: boolean;

  /**
   * @param plain True for free text, which is never parsed and never restated.
   * @param maxDepth Levels of nesting that are read.
   */
  constructor(plain: boolean, maxDepth: number) {
    this.#plain = plain;
    this.scanner = new JsonScanner({ maxDepth });
  }

  /** The text accepted so far. Looking into it may cost its length, once for all that has come. */
  get held(): string {
    return this.#held.text;
  }

  /** True for free text. */
  get plain(): boolean {
    return this.#plain;
  }

  /** True when a whole JSON value stands there; what follows can only repeat it or be wrong. */
  get whole(): boolean {
    return !this.#plain && this.scanner.state === "closed";
  }

  /** Whether `text` could say again what is held: all of it, or the fragments so far as snapshots. Changes nothing. */
  restatedBy(text: string): boolean {
    return (
      (this.#held.length > 0 && text.length >= this.#held.length && text.startsWith(this.held)) ||
      this.#snapshots.goesOn(text)
    );
  }

  /** True when the fragments were snapshots all along, as it seems, and the last one is whole. */
  get wholeSnapshot(): boolean {
    const { newest } = this.#snapshots;
    return newest !== undefined && this.scanner.state !== "closed" && isWholeObject(newest);
  }

  /** True when nothing but white space has come. */
  get blank(): boolean {
    return this.#plain ? this.#held.length === 0 : this.scanner.state === "empty";
  }

  /** True when the text can become no value any more: whatever comes then fits as well as anything. */
  get broken(): boolean {
    return !this.#plain && this.scanner.state === "broken";
  }

  /** Text that came behind the closed value and is not decided. */
  get tail(): string {
    return this.#behind.text;
  }

  /** What was given out to be appended so far. */
  get given(): string {
    return this.#given ?? this.held.slice(0, this.#shown);
  }

  /** UTF-16 units kept in memory. */
  get size(): number {
    return this.#held.length + this.#behind.text.length;
  }

  /** Whether `text` could be the plain continuation of what is held. Changes nothing. */
  continues(text: string): boolean {
    if (this.#plain) return true;
    if (this.broken) return true;
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
    if (this.#plain) {
      this.#held.add(fragment);
      this.#shown += fragment.length;
      return fragment;
    }
    const scanner = this.scanner;
    this.#snapshots.take(fragment);
    // The hot path: an object that is open, all of it given out, goes on.
    if (
      scanner.state === "open" &&
      scanner.kind === "object" &&
      !this.#cumulative &&
      this.#pending === "" &&
      this.#given === undefined
    ) {
      if (scanner.feed(fragment)) {
        this.#held.add(fragment);
        if (!this.#isEmptyObject()) {
          this.#shown += fragment.length;
          return fragment;
        }
        this.#pending = fragment;
        return "";
      }
      this.#misfit(fragment, false);
    } else {
      this.#take(fragment);
    }
    return this.#show();
  }

  /** True where no rule but the grammar has a say in what comes next: it is appended as long as the value stays open. */
  get plainlyOpen(): boolean {
    const { scanner } = this;
    return (
      this.#plain ||
      (scanner.state === "open" &&
        scanner.kind === "object" &&
        !this.#cumulative &&
        this.#pending === "" &&
        this.#given === undefined &&
        this.#snapshots.over &&
        this.#notices === undefined &&
        !this.#replaced)
    );
  }

  /** Reads a range of a text behind what is held, where that is `plainlyOpen`. False, and nothing is read, unless it stays so. */
  readAhead(text: string, start: number, end: number): boolean {
    if (this.#plain || (this.scanner.feed(text, start, end) && this.scanner.state === "open")) return true;
    this.scanner.undo();
    return false;
  }

  /** Takes the last `readAhead` back. */
  unread(): void {
    if (!this.#plain) this.scanner.undo();
  }

  /** Takes the range that was read: it is appended, and given out. */
  takeAhead(text: string): void {
    this.#held.add(text);
    this.#shown += text.length;
  }

  /** Takes a fragment whatever the text has come to. */
  #take(fragment: string): void {
    const before = this.scanner.state;
    if (this.#cumulative && this.#restates(fragment)) return;
    if (this.#behind.text !== "") {
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
      this.#notice("placeholder-arguments", "An empty object that adds nothing was dropped.", fragment, "placeholder");
    } else {
      this.#accept(fragment);
    }
  }

  #accept(text: string): void {
    if (!this.#plain) this.scanner.feed(text);
    this.#held.add(text);
    this.#pending += text;
  }

  /** The fragment says everything so far again, and more: cumulative servers. Once shown, it stays so. */
  #restates(fragment: string): boolean {
    const held = this.held;
    if (held === "") return false;
    if (fragment.length < held.length) return this.#cumulative && this.#isStale(fragment);
    if (!fragment.startsWith(held)) return false;
    const more = fragment.slice(held.length);
    if (this.scanner.state === "closed" && !BLANK.test(more)) return false;
    // Of broken text that is no object an equal fragment says nothing: it is more of the same.
    if (more === "" && this.scanner.state === "broken" && this.scanner.kind !== "object") return false;
    if (more === "" && !this.#cumulative) {
      this.#notice(
        "repeated-arguments",
        "A fragment equal to all text so far was dropped.",
        fragment,
        "repeated-arguments",
      );
      return true;
    }
    // A single bracket said twice is no proof that the server is cumulative.
    if (held.trim().length > 1) this.#cumulative = true;
    this.#notice("cumulative-arguments", "Fragments restate all text so far; only what is new was appended.");
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
    this.#notice("cumulative-arguments", "Fragments restate all text so far; the newest one was taken for the whole.");
    this.#reset();
    this.#accept(text);
  }

  /** In cumulative mode: a snapshot older than what is held. */
  #isStale(fragment: string): boolean {
    if (fragment.length > 1 && this.held.startsWith(fragment)) {
      this.#notice("cumulative-arguments", "A snapshot older than the text so far was dropped.");
      return true;
    }
    // Each look flattens the text that is held: a stream that is not cumulative after all must not pay for it for ever.
    if (++this.#strays > MAX_STRAYS) this.#cumulative = false;
    return false;
  }

  /** Text behind a closed value: white space, a placeholder's real value, a repeat, an empty object, or undecided. */
  #takeBehind(text: string): void {
    let rest = text;
    while (rest !== "") {
      if (this.#behind.text === "") {
        const blank = BLANK_LEAD.exec(rest)?.[0] ?? "";
        if (blank !== "") {
          this.#accept(blank);
          rest = rest.slice(blank.length);
          if (rest === "") return;
        }
        if (rest.startsWith("{") && this.isPlaceholder) return this.#replacePlaceholder(rest);
      }
      const decided = this.#behind.take(rest, (this.#value ??= this.held.trim()));
      if (decided === undefined) return;
      if (decided.is === "repeat")
        this.#notice(
          "repeated-arguments",
          "The arguments came again, equal to those held; the repeat was dropped.",
          decided.text,
          "repeated-arguments",
        );
      else
        this.#notice(
          "placeholder-arguments",
          "An empty object behind the arguments was dropped.",
          decided.text,
          "placeholder",
        );
      rest = decided.rest;
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

  #replacePlaceholder(text: string): void {
    this.#notice(
      "placeholder-arguments",
      "A placeholder was replaced by the arguments that came after it.",
      this.held.trim(),
      "placeholder",
    );
    this.#reset();
    this.#take(text);
  }

  #reset(): void {
    if (this.#shown > 0) this.#given ??= this.held.slice(0, this.#shown);
    this.scanner.reset();
    this.#held.clear();
    this.#pending = "";
    this.#shown = 0;
    this.#value = undefined;
    this.#behind.clear();
  }

  /**
   * Takes the vendor's final text. It wins over what was streamed, but an empty one removes nothing.
   *
   * @returns As `add`.
   */
  final(text: string): string {
    if (this.#behind.text === "" && this.#held.is(text)) return "";
    if (this.#plain ? text === "" : this.#saysNothing(text)) return "";
    if (this.#behind.text === "" && this.whole && sameArguments(text, this.held)) return "";
    if (this.#behind.text === "" && text.startsWith(this.held)) {
      if (!this.blank) this.#notice("suffix-recovered", "The end of the arguments came only with the final text.");
      this.#accept(text.slice(this.#held.length));
      return this.#show();
    }
    if (text.trim() !== this.held.trim() || this.#behind.text !== "") {
      this.#notice(
        "final-disagrees",
        "The final text differs from what was streamed and replaced it.",
        this.held + this.#behind.text,
        "final-disagrees",
      );
    }
    this.#reset();
    this.#accept(text);
    return this.#show();
  }

  /** A final text that is blank or an empty object, where something was streamed. */
  #saysNothing(text: string): boolean {
    if (!BLANK.test(text) && !EMPTY_OBJECT.test(text)) return false;
    if (this.blank) return BLANK.test(text);
    if (!this.isPlaceholder) {
      this.#notice("final-disagrees", "The final text was empty though arguments had been streamed; those were kept.");
    }
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
      this.#shown = this.#held.length;
    } else {
      this.#shown += this.#pending.length;
    }
    const text = this.#pending;
    this.#pending = "";
    return text;
  }

  /** An empty object may be a placeholder, a string may hold the object, null means none: these wait for the close. */
  #waits(): boolean {
    if (this.#plain || this.scanner.state === "broken") return false;
    const kind = this.scanner.kind;
    return (
      kind === undefined || kind === "string" || kind === "literal" || (kind === "object" && this.#isEmptyObject())
    );
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
    if (this.#behind.text !== "") this.#settleTail();
    const { newest } = this.#snapshots;
    // At a good end text that is not whole, and a last fragment that is: the fragments were snapshots all along.
    if (well && newest !== undefined && this.scanner.state === "open" && isWholeObject(newest))
      this.#takeSnapshot(newest);
    if (!this.#plain && this.scanner.kind === "string" && this.scanner.state === "closed") this.#unwrap();
    return nullIsNone && this.isNull ? "" : this.#show(true);
  }

  /** Puts `{}` where no arguments came. */
  setEmptyObject(): string {
    if (this.isNull) {
      this.#notice("null-arguments", "The literal null was taken as no arguments.");
      this.#reset();
    }
    this.#accept("{}");
    return this.settle();
  }

  #settleTail(): void {
    const tail = this.#behind.text;
    this.#behind.clear();
    if (isResidue(tail)) {
      this.#notice(
        "control-token-after-arguments",
        "Control tokens behind the arguments were dropped.",
        tail,
        "control-token",
      );
    } else if (this.#isReplayAsString(tail)) {
      this.#notice(
        "repeated-arguments",
        "The arguments came again as a JSON string; the repeat was dropped.",
        tail,
        "repeated-arguments",
      );
    } else {
      this.#accept(tail);
    }
  }

  /** `"{\"city\": \"Prague\"}"` behind the same object: a replay by the server's other code path. */
  #isReplayAsString(tail: string): boolean {
    const inner = stringIn(tail);
    return inner !== undefined && inner.trim() === this.held.trim();
  }

  /** A JSON string that holds the whole object is unwrapped once; nothing else can be meant by it. */
  #unwrap(): void {
    const inner = stringIn(this.held);
    if (inner === undefined) return;
    if (!isWholeObject(inner)) return;
    this.#notice("double-encoded", "The arguments were a JSON string that held the object; it was unwrapped.");
    this.#reset();
    this.#accept(inner);
  }

  #notice(code: NoticeCode, message: string, dropped?: string, reason?: string): void {
    const notice = { code, message, ...(dropped === undefined ? {} : { dropped, reason: reason ?? code }) };
    (this.#notices ??= []).push(notice);
  }

  /** The notices since the last call, none in the normal case. */
  takeNotices(): readonly TextNotice[] | undefined {
    const notices = this.#notices;
    this.#notices = undefined;
    return notices;
  }
}
