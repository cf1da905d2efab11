// The calls of a response on a wire that keeps its rules: every call has a header of its own, and whatever comes under a key
// belongs to the call that opened under it. Owns these rules and the saying that one of them is broken: nothing is guessed.
// Knows no vendor and no bytes.

import { closeCall, type ClosingCall, type Ending } from "../assembly/close.ts";
import type { DeclaredTools } from "../assembly/declared-tools.ts";
import { judge } from "../assembly/judge.ts";
import { EMPTY_OBJECT, textOfValue } from "../assembly/json-texts.ts";
import type { Limits } from "../assembly/limits.ts";
import { freeId } from "../assembly/make-id.ts";
import type { Calls, Choice, ResponseAssembler } from "../assembly/response-assembler.ts";
import type { CallDelta, CallKey } from "../assembly/sink.ts";
import type { NoticedCall, Speech } from "../assembly/speech.ts";
import { defined } from "../defined.ts";
import type { CallIdentity, RetractReason } from "../events.ts";
import { isClientKind } from "../kinds.ts";
import { byteLength, present, wholeIndex } from "../wire-values.ts";
import { CallText } from "./call-text.ts";

/** A name that leaks a token, that has white space around it, or that is longer than the other readers take it. */
const UNSOUND = /<[|｜]|^\s|\s$|[^]{1025}/;

/** Nothing is known of the end of the response. */
const UNENDED: Ending = { ended: false, well: false };

/** A call. Its identity is known when it opens, and stays. */
interface StrictCall extends ClosingCall, NoticedCall {
  readonly item: string | undefined;
  readonly args: CallText;
  /** Opened on a wire that also closes each call. */
  keyed?: boolean;
  signalled: boolean;
  cut: boolean;
  overLimit: boolean;
  over: boolean;
  echo: Record<string, unknown> | undefined;
  /** The arguments that stood in the header, while no fragment has come. */
  initial: string;
}

/** The calls of one choice, and their keys: an absent one finds nothing. */
interface StrictChoice extends Choice {
  readonly number: number;
  readonly calls: StrictCall[];
  readonly byIndex: Map<number | undefined, StrictCall>;
  readonly byItem: Map<string | undefined, StrictCall>;
  /** By the ids given out: those of the vendor, and those that were made. */
  readonly byId: Map<string | undefined, StrictCall>;
}

/** See the file's head. */
export class StrictCalls implements Calls {
  response: string | undefined;
  /** Never: a frame that cannot be read ends the response. */
  lost = false;
  /** Never: the reading ends at once. */
  readonly passed: undefined;
  /** Ends the reading, also in the middle of a word of the protocol. */
  host: Pick<ResponseAssembler, "stop" | "stopAt"> | undefined;
  readonly #speech: Speech;
  readonly #limits: Limits;
  readonly #tools: DeclaredTools;
  readonly #choices: Map<number, StrictChoice> = new Map();
  #records = 0;

  /** @param tools The tools that the request declared, where they are known. */
  constructor(speech: Speech, limits: Limits, tools: DeclaredTools) {
    this.#speech = speech;
    this.#limits = limits;
    this.#tools = tools;
  }

  choice(value: unknown): StrictChoice {
    const number = wholeIndex(value) ?? 0;
    let choice = this.#choices.get(number);
    if (choice === undefined) {
      choice = { number, finished: false, calls: [], byIndex: new Map(), byItem: new Map(), byId: new Map() };
      this.#choices.set(number, choice);
      if (this.#choices.size > this.#limits.maxCalls) this.#pass("maxCalls", "More choices in one response than");
    }
    return choice;
  }

  choices(): Iterable<StrictChoice> {
    return this.#choices.values();
  }

  flush(): void {}

  /** A strict reader reads one response. */
  begin(): void {}

  /** The wire has broken a rule, in plain words. Nothing that comes behind it can be trusted: the reading ends. */
  break(what: string): undefined {
    // Of a call that is open the vendor's own word that it is whole counts no more.
    for (const call of this.#all()) call.signalled = false;
    this.host?.stop("irregular", irregular(what));
  }

  #pass(limit: keyof Limits, what: string): void {
    this.host?.stopAt(`${what} ${this.#limits[limit]} (${limit}).`);
  }

  /** Whether a call is open that has text, and that text has not ended by the grammar. */
  get midCall(): boolean {
    return this.#all().some(({ over, args }) => !over && !args.empty && args.scanner.state !== "closed");
  }

  #all(): StrictCall[] {
    return [...this.#choices.values()].flatMap(({ calls }) => calls);
  }

  /** A header or a fragment, on a wire that tells them apart by what they hold. */
  mention(delta: CallDelta): void {
    const choice = this.choice(delta.choice);
    const index = wholeIndex(delta.index);
    const id = present(delta.id);
    const call = index === undefined ? choice.byId.get(id) : choice.byIndex.get(index);
    const name = present(delta.name);
    if (call === undefined) {
      if (id === undefined && name === undefined) return this.append(delta, delta.args);
      // Mistral leaves out the index of a call that it sends whole; the old function_call has no id, and is the only one.
      // Servers that say a header with every fragment may change its keys, too: only the beginning of an object shows a call.
      const keyless = id === undefined && (index === undefined || choice.calls.length > 0);
      const begins = index === undefined ? /^(\{|$)/ : /^\s*(\{|$)/;
      const amid = this.midCall && delta.format === undefined && !begins.test(this.#asText(delta.args));
      if (keyless || amid) return this.break("a call came without its own index, id or beginning");
      this.open(delta);
    } else if (name !== undefined || (id !== undefined && id !== call.wireId)) {
      this.break("another call came under the key of a call");
    } else {
      this.#learn(call, delta);
      this.#text(call, this.#asText(delta.args));
    }
  }

  /** A header, with whatever text stands in it. */
  open(delta: CallDelta): StrictCall | undefined {
    const choice = this.choice(delta.choice);
    const index = wholeIndex(delta.index);
    const item = present(delta.item);
    const id = present(delta.id);
    const name = present(delta.name);
    if (name === undefined || UNSOUND.test(name)) return this.break("a call came without a sound name");
    if (choice.byIndex.has(index) || choice.byItem.has(item) || choice.byId.has(id))
      return this.break("a call came under a key that another one has");
    if (++this.#records > this.#limits.maxCalls) {
      this.#pass("maxCalls", "More calls in one response than");
      return undefined;
    }
    const speech = this.#speech;
    const ordinal = speech.starts++;
    const identity: CallIdentity = defined({
      key: `call-${speech.keys++}`,
      id: id ?? freeId(speech, ordinal, (made) => choice.byId.has(made)),
      name,
      kind: delta.kind ?? "function",
      choice: choice.number,
      index: ordinal,
      response: this.response,
      madeId: id === undefined || undefined,
    });
    const call: StrictCall = {
      key: identity.key,
      id: identity.id,
      name,
      identity,
      wireId: id,
      item,
      args: new CallText(delta.format === "text", this.#limits.maxDepth),
      said: new Set(),
      signalled: false,
      cut: false,
      overLimit: false,
      over: false,
      echo: undefined,
      initial: this.#asText(delta.initial),
    };
    choice.calls.push(call);
    if (index !== undefined) choice.byIndex.set(index, call);
    if (item !== undefined) choice.byItem.set(item, call);
    choice.byId.set(identity.id, call);
    this.#learn(call, delta);
    if (id === undefined) speech.notice("id-missing", call);
    speech.tell({ type: "call.start", call: identity, echo: call.echo });
    this.#text(call, this.#asText(delta.args));
    return call;
  }

  /** A header of a wire that closes each call. */
  openKeyed(delta: CallDelta): void {
    const call = this.open(delta);
    if (call !== undefined) call.keyed = true;
  }

  /** A fragment under a key. */
  append(key: CallKey, args: unknown): void {
    const text = this.#asText(args);
    if (text === "") return;
    const call = this.find(key);
    if (call === undefined) return this.break("text came under a key that no call has");
    this.#text(call, text);
  }

  /** The call under these keys, all of which must be its own; without any key the newest, where it has none either. */
  find(key: CallKey): StrictCall | undefined {
    const choice = this.choice(key.choice);
    const index = wholeIndex(key.index);
    const item = present(key.item);
    const id = present(key.id);
    if (index === undefined && item === undefined && id === undefined) {
      const newest = choice.calls.at(-1);
      if (newest?.over !== false) return undefined;
      return newest.wireId === undefined && !newest.signalled
        ? newest
        : this.break("text came without the key of a call");
    }
    const call = choice.byIndex.get(index) ?? choice.byItem.get(item) ?? choice.byId.get(id);
    const own = (item === undefined || item === call?.item) && (id === undefined || id === call?.wireId);
    if (call !== undefined && (!own || (index !== undefined && choice.byIndex.get(index) !== call)))
      return this.break("the keys of two calls came together");
    return call;
  }

  /** A frame that carries a whole call. */
  whole(delta: CallDelta): void {
    const call = this.open({ ...delta, args: undefined });
    if (call === undefined) return;
    this.#text(call, this.#asText(delta.args));
    call.signalled = true;
    call.cut = delta.cut === true;
    // An empty object waits for the end: proxies say the arguments in the next frame, and that is no call of its own.
    if (!EMPTY_OBJECT.test(call.args.held)) this.#signal(call);
  }

  /** The response's own final list: it says again what has come, or all of it for the first time. */
  list(items: readonly CallDelta[]): void {
    const { calls } = this.choice(items[0]?.choice);
    if (calls.length === 0) {
      for (const item of items) this.whole(item);
    } else if (items.length > 0) {
      const same = items.every(({ id, name, args, cut }, at) => {
        const call = calls[at];
        if (call !== undefined) call.cut ||= cut === true;
        return call?.wireId === present(id) && call?.name === name && call?.args.held === textOfValue(args);
      });
      if (!same || items.length !== calls.length) this.break("the final list of calls is not what was streamed");
    }
  }

  /** The vendor's final text for the call under these keys. `unsure`: it is no signal that the call is whole. */
  final(delta: CallDelta, unsure = false): void {
    const call = this.find(delta);
    if (call === undefined) return this.break("the end of a call came under a key that no call has");
    this.#last(call, delta);
    call.signalled ||= !unsure;
  }

  /** The vendor's close signal. What closes under a key that no call has is no call. */
  close(delta: CallDelta, cut: boolean = delta.cut === true): void {
    const call = this.find(delta);
    if (call === undefined)
      return this.#asText(delta.args) !== ""
        ? this.break("the end of a call came under a key that no call has")
        : undefined;
    this.#last(call, delta);
    if (!call.over) this.#signal(call, cut);
  }

  /** What the vendor says last of a call must be what it said before. */
  #last(call: StrictCall, delta: CallDelta): void {
    const { name, args } = delta;
    const text = this.#asText(args);
    const { held } = call.args;
    this.#learn(call, delta);
    if ((present(name) ?? call.name) !== call.name) return this.break("a call ended under another name");
    if (text === "" || text === held) return;
    if (held !== "" || call.over || isBlank(text))
      return this.break("the final text of a call is not what was streamed");
    this.#text(call, text);
  }

  #signal(call: StrictCall, cut = false): void {
    call.signalled = true;
    call.cut ||= cut;
    this.#useInitial(call);
    if (!call.args.empty) this.#close(call, UNENDED);
  }

  #useInitial(call: StrictCall): void {
    const { initial } = call;
    call.initial = "";
    if (initial !== "" && call.args.empty) this.#text(call, initial);
  }

  #learn(call: StrictCall, { echo }: CallDelta): void {
    const own = echo === undefined ? undefined : this.#speech.own(echo);
    if (own !== undefined && own !== null) call.echo = { ...call.echo, ...own };
  }

  /** Argument text as it is to be appended. */
  #asText(args: unknown): string {
    const text = textOfValue(args);
    if (text === undefined) this.#pass("maxDepth", "Arguments were sent as an object that is nested deeper than");
    return text ?? "";
  }

  #text(call: StrictCall, text: string): void {
    if (!isBlank(text)) call.initial = "";
    if (text === "" || call.overLimit) return;
    if (call.over) return this.break("text came for a call that was over");
    call.args.bytes += byteLength(text);
    if (call.args.bytes > this.#limits.maxArgumentBytes) {
      call.overLimit = true;
      return this.#pass("maxArgumentBytes", `The arguments of call "${call.name}" have more bytes than`);
    }
    call.args.add(text);
    this.#append(call, text);
  }

  #append(call: StrictCall, text: string): void {
    if (text !== "") this.#speech.say({ type: "call.append", call: call.identity, text, at: this.#speech.at });
  }

  #close(call: StrictCall, ending: Ending): void {
    const closed = closeCall(call, ending);
    this.#append(call, closed.text);
    call.over = true;
    judge(this.#speech, this.#tools, call, closed.call);
    this.#speech.tell({ type: "call.close", call: closed.call });
  }

  /** Takes back every call. */
  retract(reason: RetractReason): void {
    for (const call of this.#all()) {
      const { identity, args } = call;
      call.over = true;
      this.#speech.tell({ type: "call.retract", call: identity, reason, argumentsText: args.held });
    }
    this.#choices.clear();
  }

  given(): { readonly call: CallIdentity; readonly text: string }[] {
    return this.#all()
      .filter(({ args }) => !args.plain)
      .map(({ identity, args }) => ({ call: identity, text: args.held }));
  }

  hasClientCalls(choice?: StrictChoice): boolean {
    return (choice?.calls ?? this.#all()).some(({ identity }) => isClientKind(identity.kind));
  }

  end(endingOf: (choice: StrictChoice) => Ending): void {
    for (const choice of this.#choices.values()) {
      const ending = endingOf(choice);
      for (const call of choice.calls) {
        if (call.over) continue;
        this.#useInitial(call);
        // Of a wire that closes each call, one that it has not closed is not whole.
        this.#close(call, call.keyed === true && !call.signalled ? UNENDED : ending);
      }
    }
  }
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The words for a wire that has broken a rule. */
export function irregular(what: string): string {
  return `The stream does not keep the rules of its wire: ${what}. A strict reader guesses nothing; what was read is kept.`;
}
