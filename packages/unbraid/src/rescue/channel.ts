// One channel of one choice, its text or its reasoning: plain text goes on, markup becomes calls. Owns the scanner: where
// markup may begin, what is held back until that is known, and what is given back when it was none. Knows no form: the
// table says how calls are written, the readers read them.

import { readCallsInCode } from "./calls-in-code.ts";
import { CallsOf, type ChannelHost } from "./channel-calls.ts";
import { TextContext } from "./context.ts";
import { readDocuments } from "./documents.ts";
import type { Form, ReadingContext, Span, Verdict } from "./form.ts";
import { END_TOKENS } from "./forms.ts";
import { code, CUT, Input, isSpace, literal, more, NO, oneOf, type Reading, space } from "./input.ts";
import { readNamed } from "./named.ts";
import { CLOSERS, mayBegin, type Opener, openersAt, openersAtStart } from "./openers.ts";
import { isBlank, match, nothingFound } from "./pattern.ts";
import { readTagged } from "./tagged.ts";

/** What a channel carries. */
export type ChannelKind = "text" | "reasoning";

/** White space that is held back at the beginning of a message and behind markup; more than this is plain text. */
const MAX_GAP = 64;
/** Longest markup of a call that is decided only by the end of the message, in UTF-16 units. */
const MAX_HELD = 1 << 20;
/** Longest beginning of a call that is held back while nothing tells whether it is one. */
const MAX_UNDECIDED = 80 * 1024;

/** See the file's head. */
export class Channel {
  readonly #input = new Input();
  readonly #host: ChannelHost;
  readonly #kind: ChannelKind;
  readonly #context = new TextContext();
  readonly #calls: CallsOf;
  #run: Reading<void>;
  /** The markup around what is read now. */
  #span: Span | undefined;
  /** Plain text that is not handed on yet. */
  #out = "";
  /** Nothing but white space has come since the message began. */
  #atStart = true;
  /** Plain text stands before the position; false at the beginning and right behind markup. */
  #talking = false;
  /** White space held back while not talking. */
  #gap = "";
  /** What the position stands behind, while not talking. */
  #behind: "nothing" | "markup" | "structured" = "nothing";
  /** The form of the call that was read last, while not talking. */
  #lastForm: Form | undefined;
  #busy = false;
  /** What has been said so far, by kind. */
  #spoke = { text: false, reasoning: false };

  constructor(host: ChannelHost, kind: ChannelKind) {
    this.#host = host;
    this.#kind = kind;
    this.#calls = new CallsOf(
      host,
      this.#input,
      (text) => this.#plain(text),
      () => this.#flush(),
    );
    this.#run = this.#scan();
  }

  /** Takes text. */
  feed(text: string): void {
    this.#input.feed(text);
    this.#step();
  }

  /** Nothing more will come: decides what is held. */
  end(): void {
    // What this channel has just said passed a limit: the rest is not read any more.
    if (this.#busy) return;
    this.#input.ended = true;
    this.#step();
    this.#calls.settle();
    this.#flush();
  }

  /** Gives back what is held: it is plain text. */
  interrupt(): void {
    if (this.#busy) return;
    const input = this.#input;
    const held = this.#calls.giveUp() + input.release() + input.text.slice(input.at);
    input.at = input.text.length;
    if (held !== "") this.#plain(held);
    this.#run = this.#scan();
    this.#flush();
  }

  /** The server sent a call in its own field: markup that closes it may have leaked here. */
  behindCall(): void {
    if (this.#input.held || this.#span !== undefined) return;
    this.#speakGap();
    this.#talking = false;
    this.#behind = "structured";
  }

  get #holds(): Span["holds"] {
    return this.#span?.holds ?? this.#kind;
  }

  #step(): void {
    this.#busy = true;
    this.#run.next();
    this.#calls.keepUp();
    const limit = this.#calls.isTentative ? MAX_HELD : MAX_UNDECIDED;
    if (this.#calls.heldLength > limit) this.#abandon();
    this.#flush();
    this.#busy = false;
  }

  /** What is held has become longer than any call: it is text, and so is what the readers made of it. */
  #abandon(): void {
    const held = this.#calls.giveUp() + this.#input.release();
    this.#run = this.#scan();
    this.#plain(held);
    this.#run.next();
  }

  #flush(): void {
    const text = this.#out;
    if (text === "") return;
    this.#out = "";
    const holds = this.#holds;
    if (holds === "text") this.#host.text(text);
    else if (holds === "reasoning") this.#host.reasoning(text);
  }

  /** Takes plain text. */
  #plain(text: string): void {
    if (text === "") return;
    if (!this.#talking) {
      this.#speakGap();
      this.#talking = true;
      this.#atStart = false;
    }
    this.#context.take(text);
    this.#say(text);
  }

  #say(text: string): void {
    this.#out += text;
    const holds = this.#holds;
    if (holds !== "nothing") this.#spoke[holds] = true;
  }

  /** Says the white space that was held back: behind markup without its line end, and none before the first words. */
  #speakGap(): void {
    let gap = this.#gap;
    this.#gap = "";
    if (this.#behind === "markup") {
      const holds = this.#holds;
      gap = holds === "nothing" || !this.#spoke[holds] ? "" : gap.replace(/^[ \t]*\r?\n/, "");
    }
    this.#behind = "nothing";
    this.#lastForm = undefined;
    if (gap === "") return;
    this.#context.take(gap);
    this.#say(gap);
  }

  /** Markup has been read: what stands behind it begins anew. */
  #passMarkup(form?: Form): void {
    this.#gap = "";
    this.#talking = false;
    this.#atStart = false;
    this.#behind = "markup";
    this.#lastForm = form;
    this.#context.reset();
  }

  /** The scanner. */
  *#scan(): Reading<void> {
    const input = this.#input;
    const calls = this.#calls;
    while (yield* more(input)) {
      const unit = input.text.charCodeAt(input.at);
      if (isSpace(unit) && (calls.isTentative || !this.#talking)) {
        this.#takeSpace();
      } else if (this.#mayBegin(unit) && (yield* this.#markup(unit))) {
        continue;
      } else if (calls.isTentative) {
        this.#plain(calls.giveUp() + input.release());
      } else if (!(this.#behind === "structured" && (yield* this.#orphan()))) {
        this.#plainRun();
      }
    }
    if (this.#behind !== "markup" && !calls.isTentative) this.#speakGap();
  }

  #takeSpace(): void {
    const input = this.#input;
    const unit = input.text.charAt(input.at++);
    if (this.#calls.isTentative) return;
    this.#gap += unit;
    if (this.#gap.length > MAX_GAP) {
      this.#speakGap();
      this.#talking = true;
    }
  }

  /** Takes one character, and all behind it that markup cannot begin at. */
  #plainRun(): void {
    const input = this.#input;
    const { text, at } = input;
    let to = at + 1;
    while (to < text.length && !mayBegin(text, to)) to++;
    input.at = to;
    this.#plain(text.slice(at, to));
  }

  #mayBegin(unit: number): boolean {
    const { text, at } = this.#input;
    return mayBegin(text, at) || ((this.#atStart || this.#calls.isTentative) && openersAtStart(unit).length > 0);
  }

  /** Reads markup, if some stands here: a call, a span's beginning or end. False: this character is plain text. */
  *#markup(unit: number): Reading<boolean> {
    const input = this.#input;
    yield* code(input, 1);
    if (yield* this.#endSpan()) return true;
    if (!this.#context.isPlain(unit) && !this.#calls.isTentative) return false;
    const openers = openersAt(input.text, input.at);
    const first = this.#atStart || this.#calls.isTentative ? openersAtStart(unit) : [];
    let cut = 0;
    for (const opener of [...openers, ...first]) {
      const { literal: word } = opener;
      // Most do not stand here: told at once, for each step of a reader has its price.
      if (input.text.length - input.at >= word.length && !input.text.startsWith(word, input.at)) continue;
      if (!this.#admits(opener)) continue;
      const end = yield* literal(input, word, 0);
      if (end === CUT) cut = Math.max(cut, input.text.length - input.at);
      if (end < 0) continue;
      const taken = opener.span === undefined ? yield* this.#form(opener) : yield* this.#beginSpan(opener.span, end);
      if (taken) return true;
    }
    // In a model's raw output a token that is cut is still a token.
    if (cut > 1 && this.#host.raw && input.text.startsWith("<|", input.at)) return this.#dropCut(this.#rest());
    return false;
  }

  /** Consumes everything, with what is held. */
  #rest(): string {
    const input = this.#input;
    const held = input.release();
    const rest = held + input.text.slice(input.at);
    input.at = input.text.length;
    return rest;
  }

  #admits({ span, form, isLead, literal: word }: Opener): boolean {
    if (span !== undefined) {
      if (this.#calls.isTentative || this.#holds === "reasoning" || (span.rawOnly === true && !this.#host.raw))
        return false;
      return !this.#talking || (this.#host.raw && word.startsWith("<"));
    }
    if (form === undefined || this.#holds === "nothing" || (form.last === true && !this.#host.tools.areDeclared))
      return false;
    if (form.needsLead === true && isLead !== true && this.#lastForm !== form) return false;
    if (this.#holds === "reasoning") return form.last !== true;
    return this.#calls.isTentative ? form === this.#calls.form : form.where !== "start" || this.#atStart;
  }

  *#endSpan(): Reading<boolean> {
    const input = this.#input;
    const span = this.#span;
    if (span === undefined) return false;
    const end = yield* oneOf(input, span.close, 0);
    if (end < 0) return false;
    if (this.#calls.isTentative) this.#plain(this.#calls.giveUp() + input.release());
    input.at += end;
    this.#flush();
    this.#span = undefined;
    this.#passMarkup();
    return true;
  }

  *#beginSpan(span: Span, end: number): Reading<boolean> {
    const input = this.#input;
    if (span.head !== undefined) {
      input.hold();
      input.at += end;
      const head = yield* match(input, span.head, nothingFound());
      if (head === CUT) return this.#dropCut(this.#rest());
      if (head === NO) input.rewind();
      input.drop();
      if (head === NO) return false;
    } else input.at += end;
    this.#flush();
    if (span.close.length > 0) this.#span = span;
    this.#passMarkup();
    return true;
  }

  /** The text ended inside markup before that named a tool: it is dropped, with a notice. */
  #dropCut(text: string): boolean {
    this.#host.notice("rescue-cut", "The text ended inside markup that names no tool yet; it was dropped.", {
      reason: "cut-markup",
      argumentsText: text.slice(0, 1000),
    });
    this.#passMarkup();
    return true;
  }

  /** Reads a form. False where it is none; the position is then where it was. */
  *#form({ literal: word, form, isLead }: Opener): Reading<boolean> {
    const input = this.#input;
    const calls = this.#calls;
    if (form === undefined) return false;
    const isReasoning = this.#holds === "reasoning";
    calls.begin(form, isReasoning || form.last === true, isReasoning);
    if (form.keepsOpen !== true) input.at += word.length;
    let verdict: Verdict = isLead === true ? yield* this.#behindLead(form) : "done";
    if (verdict === "done") verdict = yield* read({ input, calls }, form);
    if (verdict === "no") {
      calls.rewind();
      return false;
    }
    if (verdict === "cut" && !calls.madeAny && !calls.mute) return this.#cutForm(word);
    if (!calls.finish(verdict)) return true;
    if (verdict === "done") yield* this.#tail(form);
    else input.at = input.text.length;
    if (!calls.isTentative) this.#passMarkup(form);
    return true;
  }

  *#behindLead(form: Form): Reading<Verdict> {
    const input = this.#input;
    const gap = yield* space(input, 0);
    const end = gap < 0 ? NO : yield* oneOf(input, form.open, gap);
    if (end < 0) return end === CUT ? "cut" : "no";
    input.at += end;
    return "done";
  }

  /** The text ended inside a form before its tool was known: only what stands behind its first word tells it from prose. */
  #cutForm(word: string): boolean {
    const input = this.#input;
    const { isTentative } = this.#calls;
    input.at = input.text.length;
    const text = this.#calls.giveUp() + input.release();
    // Nothing but the first word: a leak beside the server's own call, or a token of raw output.
    const isLeak = this.#host.hasCalls || (this.#host.raw && /^<[|｜]/.test(word));
    const isMarkup = isLeak || !isBlank(text.slice(word.length));
    if (isMarkup && !isTentative) return this.#dropCut(text);
    this.#plain(text);
    return true;
  }

  /** Consumes what belongs to the markup behind a call: closing tags, end tokens, white space between them. */
  *#tail(form: Form): Reading<void> {
    const input = this.#input;
    const closers = [...(form.kind === "tagged" ? form.callEnd : []), ...form.closers, ...END_TOKENS];
    for (;;) {
      const gap = yield* space(input, 0, 1024);
      const end = gap < 0 ? NO : yield* oneOf(input, closers, gap);
      if (end < 0) {
        // The text ended inside a closing tag, or behind the call.
        if (end === CUT) input.at = input.text.length;
        return;
      }
      input.at += end;
    }
  }

  /** Consumes a closing tag that leaked behind a call of the server's own. */
  *#orphan(): Reading<boolean> {
    const end = yield* oneOf(this.#input, CLOSERS, 0);
    if (end < 0) return false;
    this.#input.at += end;
    this.#gap = "";
    this.#host.notice("rescue-cut", "Closing markup behind a call was dropped from the text.");
    return true;
  }
}

function* read(context: ReadingContext, form: Form): Reading<Verdict> {
  if (form.kind === "documents") return yield* readDocuments(context, form);
  if (form.kind === "named") return yield* readNamed(context, form);
  if (form.kind === "tagged") return yield* readTagged(context, form);
  return yield* readCallsInCode(context, form);
}
