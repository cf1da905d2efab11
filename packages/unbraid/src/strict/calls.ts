// The calls of a response on a wire that keeps its rules: every call has a header of its own, and whatever comes under a key
// belongs to the call that opened under it. Owns these rules and the saying that one of them is broken: nothing is guessed.
// Knows no vendor and no bytes.

import { closeCall, type ClosingCall, type Ending } from "../assembly/close.ts";
import { cutName } from "../assembly/control-tokens.ts";
import type { DeclaredTools } from "../assembly/declared-tools.ts";
import { judge } from "../assembly/judge.ts";
import { EMPTY_OBJECT, textOfValue } from "../assembly/json-texts.ts";
import type { Limits } from "../assembly/limits.ts";
import { freeId } from "../assembly/make-id.ts";
import { MAX_NAME } from "../assembly/names.ts";
import type { Calls, Choice, ResponseAssembler } from "../assembly/response-assembler.ts";
import type { CallDelta, CallKey } from "../assembly/sink.ts";
import type { NoticedCall, Speech } from "../assembly/speech.ts";
import { defined } from "../defined.ts";
import type { CallIdentity, RetractReason } from "../events.ts";
import { isClientKind } from "../kinds.ts";
import { byteLength, present, wholeIndex } from "../wire-values.ts";
import { CallText } from "./call-text.ts";

/** Nothing is known of the end of the response. */
const UNENDED: Ending = { ended: false, well: false };

/** A call. Its identity is known when it opens, and stays. */
interface StrictCall extends ClosingCall, NoticedCall {
  readonly args: CallText;
  /** Opened on a wire that also closes each call. */
  readonly keyed: boolean;
  /** Its arguments stood in the header. */
  readonly filled: boolean;
  signalled: boolean;
  cut: boolean;
  overLimit: boolean;
  over: boolean;
  echo: Record<string, unknown> | undefined;
}

/** The calls of one choice. */
interface StrictChoice extends Choice {
  readonly number: number;
  readonly calls: StrictCall[];
  /** By the keys of their headers, and by the ids that were made. */
  readonly byKey: Map<string | undefined, StrictCall>;
}

/** See the file's head. */
export class StrictCalls implements Calls {
  response: string | undefined;
  lost = false;
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
      choice = { number, finished: false, calls: [], byKey: new Map() };
      this.#choices.set(number, choice);
      if (this.#choices.size > this.#limits.maxCalls) this.#exceed("maxCalls", "More choices in one response than");
    }
    return choice;
  }

  choices(): Iterable<StrictChoice> {
    return this.#choices.values();
  }

  /** A strict reader reads one response. */
  begin(): void {}

  /**
   * The wire has broken a rule. Nothing that comes behind it can be trusted: the reading ends.
   *
   * @param what The rule, in plain words.
   * @param key The keys under which that came.
   */
  refuse(what: string, key?: CallKey): undefined {
    // Of a call that is open the vendor's own word that it is whole counts no more.
    for (const call of this.#all()) call.signalled = false;
    const keys = key === undefined ? "" : ` (${keysOf(key).join(", ").slice(0, 200) || "without a key"})`;
    this.host?.stop("irregular", irregular(what + keys));
  }

  #exceed(limit: keyof Limits, what: string): void {
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
    const { byKey } = this.choice(delta.choice);
    const keys = keysOf(delta);
    const call = byKey.get(keys[0]);
    const name = present(delta.name);
    if (typeof delta.args === "object" && delta.args !== null) this.refuse("arguments that are an object", delta);
    else if (call === undefined && (present(delta.id) ?? name) !== undefined) this.#header(delta);
    else if (call === undefined) this.append(delta, delta.args);
    else if (name !== undefined || keys.some((each) => byKey.get(each) !== call))
      this.refuse("a second header under the key of a call", delta);
    else {
      this.#learn(call, delta);
      this.#text(call, this.#asText(delta.args));
    }
  }

  /**
   * A header under keys that are new. A call that comes whole may lack the index, and the only one its id. Servers that say a
   * header with every fragment may change its keys, too: amid another call, only the beginning of an object shows one.
   */
  #header(delta: CallDelta): void {
    const hasIndex = wholeIndex(delta.index) !== undefined;
    const begins = hasIndex ? /^\s*(\{|$)/ : /^(\{|$)/;
    const amid = this.midCall && delta.format === undefined && !begins.test(this.#asText(delta.args));
    const isFirst = this.choice(delta.choice).calls.length === 0;
    if (amid || (present(delta.id) === undefined && !(hasIndex && isFirst)))
      this.refuse("a header without an index, id or beginning of its own", delta);
    else this.open(delta);
  }

  /**
   * A header, with whatever text stands in it.
   *
   * @param keyed The wire also closes each call.
   */
  open(delta: CallDelta, keyed = false): StrictCall | undefined {
    const choice = this.choice(delta.choice);
    const { byKey } = choice;
    const keys = keysOf(delta);
    const id = present(delta.id);
    const name = present(delta.name);
    if (name === undefined || name.length > MAX_NAME || cutName(name) !== name)
      return this.refuse("a header without a name that can be a tool's", delta);
    if (keys.some((each) => byKey.has(each))) return this.refuse("a header under the key of another call", delta);
    if (++this.#records > this.#limits.maxCalls) {
      this.#exceed("maxCalls", "More calls in one response than");
      return undefined;
    }
    const speech = this.#speech;
    const ordinal = speech.starts++;
    const identity: CallIdentity = defined({
      key: `call-${speech.keys++}`,
      id: id ?? freeId(speech, ordinal, (made) => byKey.has(`id ${made}`)),
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
      keyed,
      filled: delta.initial !== undefined,
      args: new CallText(delta.format === "text", this.#limits.maxDepth),
      said: new Set(),
      signalled: false,
      cut: false,
      overLimit: false,
      over: false,
      echo: undefined,
    };
    choice.calls.push(call);
    for (const each of [...keys, `id ${call.id}`]) byKey.set(each, call);
    this.#learn(call, delta);
    if (id === undefined) speech.notice("id-missing", call);
    speech.tell({ type: "call.start", call: identity, echo: call.echo });
    this.#text(call, this.#asText(delta.args ?? delta.initial));
    return call;
  }

  /** A fragment under a key. */
  append(key: CallKey, args: unknown): void {
    const text = this.#asText(args);
    const call = text === "" ? undefined : this.#find(key, true);
    if (call?.filled === true) this.refuse("a fragment behind arguments in the header", key);
    else if (call !== undefined) this.#text(call, text);
  }

  /** The call under one of these keys; without any key the newest, while it is open. */
  lookUp(key: CallKey, keys: readonly string[] = keysOf(key)): StrictCall | undefined {
    const { calls, byKey } = this.choice(key.choice);
    const newest = calls.at(-1);
    if (keys.length === 0) return newest?.over === false ? newest : undefined;
    return byKey.get(keys.find((each) => byKey.has(each)));
  }

  /**
   * The call that is meant: all keys must be its own, and without any it must have none either, and not be whole.
   *
   * @param needed There must be one.
   */
  #find(key: CallKey, needed: boolean): StrictCall | undefined {
    const keys = keysOf(key);
    const call = this.lookUp(key, keys);
    if (call === undefined) return needed ? this.refuse("a fragment or an end under the key of no call", key) : call;
    const { byKey } = this.choice(key.choice);
    const isOwn =
      keys.length === 0 ? call.wireId === undefined && !call.signalled : keys.every((each) => byKey.get(each) === call);
    return isOwn ? call : this.refuse("a fragment or an end under keys that are not those of one call", key);
  }

  /** A frame that carries a whole call. */
  whole(delta: CallDelta): void {
    const call = this.open(delta);
    if (call === undefined) return;
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
      if (!same || items.length !== calls.length) this.refuse("a final list that is not what was streamed");
    }
  }

  /** The vendor's final text for the call under these keys. `unsure`: it is no signal that the call is whole. */
  final(delta: CallDelta, unsure = false): void {
    const call = this.#find(delta, true);
    if (call === undefined) return;
    this.#last(call, delta, this.#asText(delta.args));
    call.signalled ||= !unsure;
  }

  /** The vendor's close signal. What closes without arguments under a key that no call has is no call. */
  close(delta: CallDelta, cut: boolean = delta.cut === true): void {
    const text = this.#asText(delta.args);
    const call = this.#find(delta, text !== "");
    if (call === undefined) return;
    this.#last(call, delta, text);
    if (!call.over) this.#signal(call, cut);
  }

  /** What the vendor says last of a call must be what it said before. */
  #last(call: StrictCall, delta: CallDelta, text: string): void {
    const { held } = call.args;
    this.#learn(call, delta);
    if ((present(delta.name) ?? call.name) !== call.name) return this.refuse("an end under another name", delta);
    if (text === "" || text === held) return;
    if (held !== "" || call.over || text.trim() === "")
      return this.refuse("a final text that is not what was streamed", delta);
    this.#text(call, text);
  }

  #signal(call: StrictCall, cut = false): void {
    call.signalled = true;
    call.cut ||= cut;
    if (!call.args.empty) this.#close(call, UNENDED);
  }

  #learn(call: StrictCall, { echo }: CallDelta): void {
    const own = echo === undefined ? undefined : this.#speech.own(echo);
    if (own !== undefined && own !== null) call.echo = { ...call.echo, ...own };
  }

  /** Argument text as it is to be appended. */
  #asText(args: unknown): string {
    const text = textOfValue(args);
    if (text === undefined) this.#exceed("maxDepth", "Arguments are nested deeper than");
    return text ?? "";
  }

  #text(call: StrictCall, text: string): void {
    if (text === "" || call.overLimit) return;
    if (call.over) return this.refuse("a fragment behind the end of a call", { id: call.id });
    call.args.bytes += byteLength(text);
    if (call.args.bytes > this.#limits.maxArgumentBytes) {
      call.overLimit = true;
      return this.#exceed("maxArgumentBytes", `The arguments of call "${call.name}" have more bytes than`);
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
      const ending = { ...endingOf(choice), lost: this.lost };
      for (const call of choice.calls) {
        if (call.over) continue;
        // Of a wire that closes each call, one that it has not closed is not whole.
        this.#close(call, call.keyed && !call.signalled ? UNENDED : ending);
      }
    }
  }
}

/** The keys of a mention, as far as they came, each with its kind. The index is the first. */
function keysOf(key: CallKey): readonly string[] {
  const index = wholeIndex(key.index);
  const item = present(key.item);
  const id = present(key.id);
  const keys = index === undefined ? [] : [`index ${index}`];
  if (item !== undefined) keys.push(`item ${item}`);
  if (id !== undefined) keys.push(`id ${id}`);
  return keys;
}

/** The words for a wire that has broken a rule. */
function irregular(what: string): string {
  return `The stream breaks a rule of its wire: ${what}.`;
}
