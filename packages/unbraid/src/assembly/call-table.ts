// The calls of one reader and their life: which record a mention reaches, when it starts, what is appended, when it is
// over. Owns every change to a call record. The decisions lie beside it: identity.ts for untrusted keys, arguments.ts for
// text, names.ts for names, close.ts for the verdict. Knows no vendor and no bytes.

import type { RetractReason } from "../events.ts";
import { CallRecord, ChoiceCalls } from "./call-record.ts";
import { closeCall, type Ending } from "./close.ts";
import { judge } from "./judge.ts";
import type { DeclaredTools } from "./declared-tools.ts";
import { resolve, type Mention } from "./identity.ts";
import { isClientKind } from "../kinds.ts";
import type { Limits } from "./limits.ts";
import { nameIn, takeName } from "./call-names.ts";
import { dropRepeat, repeatText } from "./repeats.ts";
import { sameArguments } from "./same-arguments.ts";
import type { CallDelta, CallKey } from "./sink.ts";
import { droppedFrom, type Speech } from "./speech.ts";
import { Starts } from "./starts.ts";
import { byteLength, present, wholeIndex } from "../wire-values.ts";

/** A limit that was passed; ends the response. */
export interface LimitPassed {
  readonly limit: keyof Limits;
  readonly message: string;
}

/** Calls of earlier responses that are remembered: as many as a vendor could mean, and little to keep. */
const MAX_EARLIER = 256;

/** See the file's head. */
export class CallTable {
  /** When calls start, and under which id. */
  readonly starts: Starts;
  response: string | undefined;
  /** Set once a limit was passed; the assembler ends the response then. */
  passed: LimitPassed | undefined;
  /** The call that the last fragment went to by its key alone; undefined where any rule had a say in it. */
  direct: CallRecord | undefined;
  readonly #speech: Speech;
  readonly #limits: Limits;
  readonly #tools: DeclaredTools;
  readonly #choices: Map<number, ChoiceCalls> = new Map();
  /** The choice last used: nearly always the next one too. */
  #lastChoice: ChoiceCalls | undefined;
  #records = 0;
  /** Calls of the responses before this one, by id: the vendor may still take one back. */
  readonly #earlier: Map<string, { readonly choice: ChoiceCalls; readonly call: CallRecord }> = new Map();

  constructor(speech: Speech, limits: Limits, tools: DeclaredTools) {
    this.#speech = speech;
    this.#limits = limits;
    this.#tools = tools;
    this.starts = new Starts(speech, tools.names);
  }

  choice(value: unknown): ChoiceCalls {
    const number = wholeIndex(value) ?? 0;
    if (this.#lastChoice?.choice === number) return this.#lastChoice;
    let choice = this.#choices.get(number);
    if (choice === undefined) {
      choice = new ChoiceCalls(number);
      // One too many is kept as well: what it holds must be closed when the reading stops.
      this.#choices.set(number, choice);
      if (this.#choices.size > this.#limits.maxCalls)
        this.passed ??= { limit: "maxCalls", message: `More than ${this.#limits.maxCalls} choices in one response.` };
    }
    return (this.#lastChoice = choice);
  }

  /** Forgets the calls of the response that is over: ids and indexes mean nothing beyond it. Keys go on. */
  begin(): void {
    for (const choice of this.#choices.values()) {
      for (const call of choice.calls) if (isClientKind(call.kind)) this.#earlier.set(call.id, { choice, call });
    }
    for (const id of this.#earlier.keys()) {
      if (this.#earlier.size <= MAX_EARLIER) break;
      this.#earlier.delete(id);
    }
    this.#choices.clear();
    this.#lastChoice = undefined;
    this.#records = 0;
    this.response = undefined;
  }

  /** Takes a call of an earlier response back, where it is still known. */
  retractEarlier(id: string, reason: RetractReason): void {
    const earlier = this.#earlier.get(id);
    if (earlier === undefined) return;
    this.#earlier.delete(id);
    this.retract(earlier.choice, earlier.call, reason);
  }

  choices(): Iterable<ChoiceCalls> {
    return this.#choices.values();
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
        return this.text(choice, known, args);
      }
    }
    const mention = this.#read(choice, delta);
    const verdict = resolve(choice, mention, this.#tools.names);
    if (verdict.is === "continuation") {
      if (verdict.guessed === true)
        this.#speech.notice(
          "identity-guessed",
          `A fragment was given to this call by the rule "${verdict.rule}".`,
          verdict.call,
        );
      this.#continue(choice, verdict.call, mention, delta);
    } else if (verdict.is === "new") {
      if (mention.index !== undefined && choice.byIndex.has(mention.index))
        this.#speech.notice("index-reused", `Index ${mention.index} names another call by the rule "${verdict.rule}".`);
      this.create(choice, mention, delta);
    } else if (verdict.is === "again") {
      this.create(choice, mention, delta, verdict.original);
    } else if (verdict.is === "orphan") {
      this.#orphan(choice, mention.text, verdict.rule);
    }
  }

  #read(choice: ChoiceCalls, delta: CallDelta): Mention {
    const index = wholeIndex(delta.index);
    const id = present(delta.id);
    return { index, id, name: nameIn(choice, index, id, present(delta.name)), text: this.asText(delta.args) };
  }

  /** Argument text as it is to be appended: a value that is no string becomes its JSON text. */
  asText(args: unknown): string {
    if (typeof args === "string") return args;
    if (args === undefined || args === null) return "";
    try {
      return JSON.stringify(args) ?? "";
    } catch {
      // Nesting deeper than the engine's stack: it would not have been read either.
      this.passed ??= { limit: "maxDepth", message: "Arguments nested too deep were sent as an object." };
      return "";
    }
  }

  #continue(choice: ChoiceCalls, call: CallRecord, mention: Mention, delta: CallDelta): void {
    if (mention.id !== undefined && call.wireId !== undefined && call.wireId !== mention.id) {
      this.#speech.notice("id-changed", "The call's id changed on the wire; the first one stays.", call);
      choice.byId.set(mention.id, call);
    } else {
      this.learn(choice, call, mention, delta, false);
    }
    if (mention.index !== undefined && !choice.byIndex.has(mention.index)) {
      choice.byIndex.set(mention.index, call);
      this.#speech.notice("index-drift", "The call's index changed on the wire.", call);
    }
    if (mention.name !== undefined) this.name(call, mention.name);
    if (typeof delta.args === "object" && delta.args !== null)
      this.#speech.notice("arguments-not-string", "Arguments came as an object.", call);
    this.text(choice, call, mention.text);
    this.starts.soon(choice, call);
  }

  /** Opens a record. With `original` it is a header that came again, silent until its text differs. */
  create(choice: ChoiceCalls, mention: Mention, delta: CallDelta, original?: CallRecord): CallRecord | undefined {
    if (++this.#records > this.#limits.maxCalls) {
      this.passed ??= { limit: "maxCalls", message: `More than ${this.#limits.maxCalls} calls in one response.` };
      return undefined;
    }
    const call = new CallRecord(
      `call-${this.#speech.keys++}`,
      choice.choice,
      delta.kind ?? "function",
      delta.format === "text",
      this.#limits.maxDepth,
    );
    call.response = this.response;
    call.original = original;
    choice.add(call);
    this.learn(choice, call, mention, delta, false);
    if (mention.index !== undefined) choice.byIndex.set(mention.index, call);
    if (mention.id !== undefined) choice.byId.set(mention.id, call);
    if (mention.name !== undefined) this.name(call, mention.name);
    if (typeof delta.args === "object" && delta.args !== null && delta.format === undefined)
      this.#speech.notice("arguments-not-string", "Arguments came as an object.", call);
    this.text(choice, call, mention.text);
    this.starts.soon(choice, call);
    return call;
  }

  /** Takes aliases and echo fields from a mention. `last`: the frame is the vendor's last word, its id wins. */
  learn(choice: ChoiceCalls, call: CallRecord, mention: Mention, delta: CallDelta, last: boolean): void {
    const item = present(delta.item);
    if (item !== undefined) {
      choice.byItem.set(item, call);
      if (call.item !== undefined && call.item !== item)
        this.#speech.notice(
          "id-changed",
          "The call's item id changed on the wire; the call is known by its place.",
          call,
        );
      call.item = item;
    }
    if (mention.index !== undefined && !choice.byIndex.has(mention.index)) choice.byIndex.set(mention.index, call);
    const echo = delta.echo === undefined ? undefined : this.#speech.own(delta.echo);
    if (echo !== undefined && echo !== null) call.echo = { ...call.echo, ...echo };
    const { id } = mention;
    if (id === undefined || id === call.wireId) return;
    if (call.wireId !== undefined && !last) return;
    const changed = call.wireId !== undefined;
    call.wireId = id;
    choice.byId.set(id, call);
    if (!call.started || choice.isGiven(id, call)) return;
    choice.givenIds.set(id, call);
    call.id = id;
    call.madeId = false;
    this.#speech.notice(
      changed ? "id-changed" : "id-late",
      changed ? "The vendor's last word gave the call another id." : "The call's id came after its start.",
      call,
    );
  }

  /** Takes a mention of the call's name. */
  name(call: CallRecord, piece: string): void {
    takeName(this.#speech, this.#tools.names, call, piece);
  }

  /** Appends text by the rules and says what came of it. */
  text(choice: ChoiceCalls, call: CallRecord, fragment: string): void {
    if (fragment === "") return;
    if (call.initial !== undefined && fragment.trim() !== "") this.#forgetInitial(call, call.initial);
    this.starts.flush(call);
    if (call.original !== undefined) {
      const own = repeatText(this.#speech, choice, call, call.original, fragment);
      if (own !== undefined) this.text(choice, call, own);
      return;
    }
    const out = call.args.add(this.#fits(call, fragment) ? fragment : this.#within(call, fragment));
    if (!call.started && call.name !== "") this.starts.start(choice, call);
    this.#say(choice, call, out);
  }

  /** Arguments in the header count only where no fragment comes. */
  #forgetInitial(call: CallRecord, initial: string): void {
    call.initial = undefined;
    this.#speech.notice(
      "placeholder-arguments",
      "Arguments stood in the header and came in fragments too; the fragments count.",
      call,
      droppedFrom(call, "placeholder", initial),
    );
  }

  /** Takes the arguments of the header, where no fragment has come and none will. */
  useInitial(choice: ChoiceCalls, call: CallRecord): void {
    const { initial } = call;
    call.initial = undefined;
    if (initial !== undefined && call.args.blank) this.text(choice, call, initial);
  }

  #say(choice: ChoiceCalls, call: CallRecord, out: string): void {
    if (call.over) return;
    const notices = call.args.takeNotices();
    if (notices !== undefined) {
      choice.touch(call);
      this.#speech.textNotices(call, notices);
    }
    if (!call.started) {
      call.ahead = call.args.takeReplaced() ? call.args.held : call.ahead + out;
      return;
    }
    if (out !== "") this.#speech.say({ type: "call.append", call: call.identity, text: out, at: this.#speech.at });
    if (call.args.takeReplaced())
      this.#speech.say({ type: "call.replace", call: call.identity, text: call.args.held, at: this.#speech.at });
  }

  /** What of a fragment that is too long stands within the limit: it is kept. */
  #within(call: CallRecord, fragment: string): string {
    let room = this.#limits.maxArgumentBytes - (call.bytes - byteLength(fragment));
    let end = 0;
    for (const char of fragment) {
      room -= byteLength(char);
      if (room < 0) break;
      end += char.length;
    }
    return fragment.slice(0, end);
  }

  #fits(call: CallRecord, fragment: string): boolean {
    const max = this.#limits.maxArgumentBytes;
    if (this.hasRoom(call, fragment.length)) return true;
    if (call.bytes < 0) call.bytes = byteLength(call.args.held) + byteLength(call.args.tail);
    call.bytes += byteLength(fragment);
    if (call.bytes <= max) return true;
    call.overLimit = true;
    this.passed ??= {
      limit: "maxArgumentBytes",
      message: `The arguments of call "${call.name}" are longer than ${max} bytes.`,
    };
    return false;
  }

  /** The call that the last fragment went to, where nothing but the grammar has a say in what comes next for it. */
  get running(): CallRecord | undefined {
    const call = this.direct;
    const runs =
      call?.started === true &&
      !call.over &&
      call.original === undefined &&
      call.initial === undefined &&
      call.args.plainlyOpen;
    return runs ? call : undefined;
  }

  /** Whether so many UTF-16 units more are certainly within the limit. */
  hasRoom(call: CallRecord, units: number): boolean {
    return (call.args.size + units) * 3 <= this.#limits.maxArgumentBytes;
  }

  #orphan(choice: ChoiceCalls, text: string, rule: string): void {
    let orphans = choice.orphans;
    if (orphans === undefined) {
      orphans = choice.orphans = new CallRecord("orphans", choice.choice, "function", true, 1);
      this.#speech.notice("orphan-fragment", `A fragment names no call (rule "${rule}"); it is kept out.`, orphans);
    }
    if (this.#fits(orphans, text)) orphans.args.add(text);
  }

  /** Closes a call now, or drops it where it proved to be no call. */
  close(choice: ChoiceCalls, call: CallRecord, ending: Ending): void {
    if (call.over) return;
    if (call.original !== undefined) return dropRepeat(this.#speech, choice, call, call.original);
    if (call.rawName === "" && call.wireId === undefined && !call.started) return this.#dropNameless(choice, call);
    this.useInitial(choice, call);
    this.starts.start(choice, call);
    const closed = closeCall(call, ending, this.#tools.parameters.get(call.name));
    this.#say(choice, call, closed.text);
    call.over = true;
    const first = call.collidesWith;
    // Before its close, so that nobody takes the repeat for a call.
    if (first !== undefined && sameArguments(first.args.held, call.args.held))
      return this.retract(choice, call, "repeated-call");
    judge(this.#speech, this.#tools, call, closed.call);
    this.#speech.say({ type: "call.close", call: closed.call, at: this.#speech.at });
  }

  #dropNameless(choice: ChoiceCalls, call: CallRecord): void {
    call.over = true;
    choice.remove(call);
    const text = call.args.held + call.args.tail;
    this.#speech.notice(
      "orphan-fragment",
      "Argument text came without an id or a name; there is no call to give it to.",
      call,
      droppedFrom(call, "orphan-fragment", text),
    );
  }

  /** Takes a call back. */
  retract(choice: ChoiceCalls, call: CallRecord, reason: RetractReason): void {
    if (call.started)
      this.#speech.say({
        type: "call.retract",
        call: call.identity,
        reason,
        argumentsText: call.args.held,
        at: this.#speech.at,
      });
    call.over = true;
    choice.remove(call);
    choice.forget(call);
    this.starts.forget(call);
    this.#speech.notice(reason, `The call was taken back: ${reason}.`, call, droppedFrom(call, reason, call.args.held));
  }

  /** Closes what is still open, at the end of the response. */
  end(endingOf: (choice: ChoiceCalls) => Ending): void {
    this.starts.flush();
    for (const choice of this.#choices.values()) {
      const lost = choice.orphans !== undefined || choice.calls.some((call) => call.rawName === "" && !call.args.blank);
      const ending = { ...endingOf(choice), lost };
      for (const call of [...choice.calls]) {
        if (call.keyed && ending.ended && !call.signalled && !call.over)
          this.#speech.notice(
            "missing-close",
            "The wire closes each call, and did not close this one; the end of the response did.",
            call,
          );
        this.close(choice, call, ending);
      }
      const { orphans } = choice;
      if (orphans !== undefined) {
        this.#speech.notice(
          "orphan-fragment",
          "These fragments named no call.",
          orphans,
          droppedFrom(orphans, "orphan-fragment", orphans.args.held),
        );
      }
    }
  }

  /** Whether the answer holds a call that the client is to run. */
  hasClientCalls(choice?: ChoiceCalls): boolean {
    for (const each of choice === undefined ? this.#choices.values() : [choice]) {
      if (
        each.calls.some(
          (call) =>
            isClientKind(call.kind) &&
            call.original === undefined &&
            (call.rawName !== "" || call.wireId !== undefined),
        )
      )
        return true;
    }
    return false;
  }

  /** The call under these keys: index first, then item, then id; without any key the newest. */
  find(choice: ChoiceCalls, key: CallKey): CallRecord | undefined {
    const index = wholeIndex(key.index);
    const item = present(key.item);
    const id = present(key.id);
    if (index === undefined && item === undefined && id === undefined) return choice.newest;
    const byIndex = index === undefined ? undefined : choice.byIndex.get(index);
    const byItem = item === undefined ? undefined : choice.byItem.get(item);
    if (byIndex !== undefined && byItem !== undefined && byIndex !== byItem)
      return choice.indexReused ? byItem : byIndex;
    return byIndex ?? byItem ?? (id === undefined ? undefined : choice.byId.get(id));
  }

  /** The one call whose value has not ended, for a fragment under a key that no header had. */
  onlyOpen(choice: ChoiceCalls, key: CallKey, fragment: string): CallRecord | undefined {
    const sole = choice.soleUnfinished();
    if (typeof sole !== "object" || !sole.started || !sole.args.continues(fragment)) return undefined;
    const index = wholeIndex(key.index);
    if (index !== undefined) choice.byIndex.set(index, sole);
    this.#speech.notice(
      "index-drift",
      "A fragment under a key that no call has was given to the only open call.",
      sole,
    );
    return sole;
  }

  /** Takes the vendor's final text for a call. */
  finalText(choice: ChoiceCalls, call: CallRecord, args: unknown): void {
    const text = this.asText(args);
    if (call.original !== undefined) {
      if (call.ahead === "") this.text(choice, call, text);
      return;
    }
    const more = text.length - call.args.size;
    if (more > 0 && !this.#fits(call, text.slice(-more))) return;
    const out = call.args.final(text);
    if (!call.started && call.name !== "") this.starts.start(choice, call);
    this.#say(choice, call, out);
  }
}
