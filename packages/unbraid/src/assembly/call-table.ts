// The calls of one reader and their life: which record a mention reaches, when it starts, what is appended, when it is
// over. Owns every change to a call record. The decisions lie beside it: identity.ts for untrusted keys, arguments.ts for
// text, names.ts for names, close.ts for the verdict. Knows no vendor and no bytes.

import type { CallIdentity, RetractReason } from "../events.ts";
import { CallRecord, ChoiceCalls } from "./call-record.ts";
import { closeCall, type Ending } from "./close.ts";
import { judge } from "./judge.ts";
import type { DeclaredTools } from "./declared-tools.ts";
import { resolve, type Mention } from "./identity.ts";
import { textOfValue } from "./json-texts.ts";
import { isClientKind } from "../kinds.ts";
import type { Limits } from "./limits.ts";
import { hasLoneSurrogate } from "./lone-surrogate.ts";
import { takeName, withoutLeak } from "./names.ts";
import { dropRepeat, repeatText } from "./repeats.ts";
import type { Calls } from "./response-assembler.ts";
import { noticeDropped } from "./rule-notices.ts";
import { sameArguments } from "./same-arguments.ts";
import type { CallDelta, CallKey } from "./sink.ts";
import type { Speech } from "./speech.ts";
import { Starts } from "./starts.ts";
import { byteLength, present, wholeIndex } from "../wire-values.ts";

/** See the file's head. */
export class CallTable implements Calls {
  readonly speech: Speech;
  /** The tools that the request declared, where they are known. */
  readonly tools: DeclaredTools;
  /** When calls start, and under which id. */
  readonly starts: Starts;
  response: string | undefined;
  /** Which limit was passed, in plain words; the assembler ends the response then. */
  passed: string | undefined;
  /** The call that the last fragment went to by its key alone; undefined where any rule had a say in it. */
  direct: CallRecord | undefined;
  /** A frame could not be read: nothing says any more that a call without text has no arguments. */
  lost = false;
  readonly #limits: Limits;
  readonly #choices: Map<number, ChoiceCalls> = new Map();
  /** The choice last used: nearly always the next one too. */
  #lastChoice: ChoiceCalls | undefined;
  #records = 0;

  constructor(speech: Speech, limits: Limits, tools: DeclaredTools) {
    this.speech = speech;
    this.#limits = limits;
    this.tools = tools;
    this.starts = new Starts(speech, tools);
  }

  choice(value: unknown): ChoiceCalls {
    const number = wholeIndex(value) ?? 0;
    if (this.#lastChoice?.number === number) return this.#lastChoice;
    let choice = this.#choices.get(number);
    if (choice === undefined) {
      choice = new ChoiceCalls(number);
      // One too many is kept as well: what it holds must be closed when the reading stops.
      this.#choices.set(number, choice);
      if (this.#choices.size > this.#limits.maxCalls) this.#pass("maxCalls", "More choices in one response than");
    }
    return (this.#lastChoice = choice);
  }

  choices(): Iterable<ChoiceCalls> {
    return this.#choices.values();
  }

  /** The call under these keys. */
  find(key: CallKey): CallRecord | undefined {
    return this.choice(key.choice).find(key);
  }

  /** Ends the reading behind this word: something is larger than its limit. */
  #pass(limit: keyof Limits, what: string): void {
    this.passed ??= `${what} ${this.#limits[limit]} (${limit}).`;
  }

  /** Forgets the calls of the response that is over: ids and indexes mean nothing beyond it. Keys go on. */
  begin(): void {
    this.#choices.clear();
    this.#lastChoice = undefined;
    this.lost = false;
    this.#records = 0;
    this.response = undefined;
  }

  /** A mention whose keys cannot be trusted. */
  mention(delta: CallDelta): void {
    const choice = this.choice(delta.choice);
    const { args } = delta;
    // The hot path: an index that names a call, and a fragment.
    if (
      typeof args === "string" &&
      typeof delta.index === "number" &&
      !delta.id &&
      !delta.name &&
      delta.echo === undefined
    ) {
      const known = choice.byIndex.get(delta.index);
      if (known !== undefined && known.started && !known.over) {
        this.direct = known;
        return this.text(known, args);
      }
    }
    const mention = withoutLeak(choice, this.read(delta));
    const verdict = resolve(choice, mention, this.tools);
    if (verdict.is === "padding") return;
    if (verdict.is === "orphan") return this.#orphan(choice, mention.text, verdict.rule);
    if (verdict.is === "continuation") {
      const { call } = verdict;
      if (verdict.rule !== undefined) this.speech.notice("identity-guessed", call, verdict.rule);
      this.learn(call, mention, delta);
      return this.#take(call, mention, delta);
    }
    if (verdict.is === "new" && mention.index !== undefined && choice.byIndex.has(mention.index))
      this.speech.notice("index-reused", undefined, verdict.rule);
    this.create(choice, mention, delta, verdict.is === "again" ? verdict.call : undefined);
  }

  /** A mention with its keys read. */
  read(delta: CallDelta): Mention {
    return {
      index: wholeIndex(delta.index),
      id: present(delta.id),
      name: present(delta.name),
      text: this.asText(delta.args),
      format: delta.format,
    };
  }

  /** Argument text as it is to be appended. */
  asText(args: unknown): string {
    const text = textOfValue(args);
    if (text === undefined) this.#pass("maxDepth", "Arguments are nested deeper than");
    return text ?? "";
  }

  /** Opens a record. With `original` it is a header that came again, silent until its text differs. */
  create(choice: ChoiceCalls, mention: Mention, delta: CallDelta, original?: CallRecord): CallRecord | undefined {
    if (++this.#records > this.#limits.maxCalls) {
      this.#pass("maxCalls", "More calls in one response than");
      return undefined;
    }
    const call = new CallRecord(
      `call-${this.speech.keys++}`,
      choice,
      delta.kind ?? "function",
      delta.format === "text",
      this.#limits.maxDepth,
    );
    call.response = this.response;
    call.original = original;
    choice.add(call);
    if (mention.index !== undefined) choice.byIndex.set(mention.index, call);
    this.learn(call, mention, delta);
    this.#take(call, mention, delta);
    return call;
  }

  /** Takes the name and the text of a mention. */
  #take(call: CallRecord, mention: Mention, delta: CallDelta): void {
    if (mention.name !== undefined) this.name(call, mention.name);
    if (typeof delta.args === "object" && delta.args !== null && delta.format === undefined)
      this.speech.notice("arguments-not-string", call);
    this.text(call, mention.text);
    this.starts.soon(call);
  }

  /** Takes aliases and echo fields from a mention. `last`: the frame is the vendor's last word, its id wins. */
  learn(call: CallRecord, { index, id }: Mention, delta: CallDelta, last = false): void {
    const { choice } = call;
    const item = present(delta.item);
    if (item !== undefined) {
      choice.byItem.set(item, call);
      if (call.item !== undefined && call.item !== item) this.speech.notice("id-changed", call);
      call.item = item;
    }
    if (index !== undefined && !choice.byIndex.has(index)) choice.byIndex.set(index, call);
    const echo = delta.echo === undefined ? undefined : this.speech.own(delta.echo);
    if (echo !== undefined && echo !== null) call.echo = { ...call.echo, ...echo };
    if (id === undefined || id === call.wireId) return;
    const changed = call.wireId !== undefined;
    choice.byId.set(id, call);
    if (changed && !last) return this.speech.notice("id-changed", call);
    call.wireId = id;
    if (!call.started || choice.isGiven(id, call)) return;
    choice.givenIds.set(id, call);
    call.id = id;
    call.madeId = false;
    this.speech.notice(changed ? "id-changed" : "id-late", call);
  }

  /** Takes a mention of the call's name. */
  name(call: CallRecord, piece: string): void {
    takeName(this.speech, this.tools, call, piece);
  }

  /** Appends text by the rules and says what came of it. */
  text(call: CallRecord, fragment: string): void {
    if (fragment === "") return;
    if (call.over) return noticeDropped(this.speech, "late-fragment", call, fragment);
    this.starts.flush(call);
    if (call.original !== undefined) {
      const own = repeatText(this.speech, call, call.original, fragment);
      if (own !== undefined) this.text(call, own);
      return;
    }
    const out = call.args.add(this.#within(call, fragment));
    if (!call.started && call.name !== "") this.starts.start(call);
    this.#say(call, out);
  }

  /** Takes the arguments of the header, where no fragment has come and none will. */
  useInitial(call: CallRecord): void {
    const { initial } = call;
    call.initial = undefined;
    if (initial !== undefined && call.args.blank) this.text(call, initial);
  }

  /** Takes the vendor's final text for a call. */
  finalText(call: CallRecord, args: unknown): void {
    const text = this.asText(args);
    if (call.original !== undefined) {
      if (call.ahead === "") this.text(call, text);
      return;
    }
    const more = text.length - call.args.size;
    if (more > 0) this.#within(call, text.slice(-more));
    if (call.overLimit) return;
    const out = call.args.final(text);
    if (!call.started && call.name !== "") this.starts.start(call);
    this.#say(call, out);
  }

  #say(call: CallRecord, out: string): void {
    const notices = call.args.takeNotices();
    if (notices !== undefined) {
      call.choice.touch(call);
      for (const { code, dropped } of notices) noticeDropped(this.speech, code, call, dropped);
    }
    if (!call.started) {
      call.ahead = call.args.takeReplaced() ? call.args.held : call.ahead + out;
      return;
    }
    if (out !== "") this.speech.say({ type: "call.append", call: call.identity, text: out, at: this.speech.at });
    if (call.args.takeReplaced()) this.speech.tell({ type: "call.replace", call: call.identity, text: call.args.held });
  }

  /** What of a fragment stands within the limit: nearly always all of it. */
  #within(call: CallRecord, fragment: string): string {
    const max = this.#limits.maxArgumentBytes;
    if (this.hasRoom(call, fragment.length)) return fragment;
    if (call.bytes < 0) call.bytes = byteLength(call.args.held) + byteLength(call.args.tail);
    const room = Math.max(0, max - call.bytes);
    call.bytes += byteLength(fragment);
    if (call.bytes <= max) return fragment;
    call.overLimit = true;
    this.#pass("maxArgumentBytes", `The arguments of call "${call.name}" have more bytes than`);
    return fragment.slice(0, new TextEncoder().encodeInto(fragment, new Uint8Array(room)).read);
  }

  /** Whether so many UTF-16 units more are certainly within the limit. */
  hasRoom(call: CallRecord, units: number): boolean {
    return (call.args.size + units) * 3 <= this.#limits.maxArgumentBytes;
  }

  #orphan(choice: ChoiceCalls, text: string, rule: string): void {
    const orphans = (choice.orphans ??= new CallRecord("orphans", choice, "function", true, 1));
    this.speech.notice("orphan-fragment", orphans, rule);
    orphans.args.add(this.#within(orphans, text));
  }

  /** Closes a call now, or drops it where it proved to be no call. */
  close(call: CallRecord, ending: Ending): void {
    const { args } = call;
    if (call.over) return;
    if (call.original !== undefined) return dropRepeat(this.speech, call, call.original);
    if (call.headless && !call.started) {
      call.over = true;
      call.choice.remove(call);
      return noticeDropped(this.speech, "orphan-fragment", call, args.held + args.tail);
    }
    this.useInitial(call);
    this.starts.start(call);
    const closed = closeCall(call, ending);
    this.#say(call, closed.text);
    call.over = true;
    const first = call.collidesWith;
    // Before its close, so that nobody takes the repeat for a call.
    if (first !== undefined && sameArguments(first.args.held, args.held)) return this.retract(call, "repeated-call");
    judge(this.speech, this.tools, call, closed.call);
    const { arguments: values, argumentsText } = closed.call;
    if (values !== null && hasLoneSurrogate(argumentsText, values, args.scanner.numbered))
      this.speech.notice("lone-surrogate", call);
    this.speech.tell({ type: "call.close", call: closed.call });
  }

  /** Takes a call back. */
  retract(call: CallRecord, reason: RetractReason): void {
    const { held } = call.args;
    if (call.started) this.speech.tell({ type: "call.retract", call: call.identity, reason, argumentsText: held });
    call.over = true;
    call.choice.remove(call);
    call.choice.forget(call);
    noticeDropped(this.speech, reason, call, held);
  }

  given(): { readonly call: CallIdentity; readonly text: string }[] {
    return [...this.#choices.values()]
      .flatMap((choice) => choice.calls)
      .filter((call) => call.started && !call.args.plain)
      .map((call) => ({ call: call.identity, text: call.args.given }));
  }

  /** Closes what is still open, at the end of the response. */
  end(endingOf: (choice: ChoiceCalls) => Ending): void {
    this.starts.flush();
    for (const choice of this.#choices.values()) {
      const { orphans } = choice;
      const lost =
        this.lost || orphans !== undefined || choice.calls.some((call) => call.rawName === "" && !call.args.blank);
      const ending = { ...endingOf(choice), lost };
      for (const call of [...choice.calls]) {
        if (call.keyed && ending.ended && !call.signalled && !call.over) this.speech.notice("missing-close", call);
        this.close(call, ending);
      }
      if (orphans !== undefined) this.close(orphans, ending);
    }
  }

  /** Whether the answer, or one choice of it, holds a call that the client is to run. */
  hasClientCalls(choice?: ChoiceCalls): boolean {
    const all = choice === undefined ? [...this.#choices.values()].flatMap(({ calls }) => calls) : choice.calls;
    return all.some((call) => isClientKind(call.kind) && call.original === undefined && !call.headless);
  }
}
