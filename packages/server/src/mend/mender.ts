// One response, from the bytes of a server to the bytes of a client that takes its wire at its word. Owns the waiting of
// frames until it is known whether they are right, and the choice between passing them on as they are and writing them
// anew. What a frame means is in the dialects; what is true is the reader's.

import { createReader, type AnyReaderOptions, type StreamEvent, type ToolCall } from "unbraid";
import { createFramer, type Frame, type Framer, splitGlued } from "unbraid/framing";
import { Account } from "./account.ts";
import { ByteQueue } from "./byte-queue.ts";
import { type Claims, type Dialect, type Obj, objectOf, type OutFraming, type Seen } from "./dialect.ts";
import { FramedOutput } from "./framed-output.ts";
import { inOneChoice } from "./one-choice.ts";
import type { Ending, Said } from "./said.ts";
import { takeBack, Truths } from "./truths.ts";

/** How a stream is mended. */
export interface MendOptions {
  /** How the client wants its frames. */
  readonly framing: OutFraming;
  /** Says a call only when it is whole. Default false. */
  readonly hold?: boolean;
  /** Says a malformed call that has exactly one reading as that; holds. Default false. */
  readonly repair?: boolean;
  /** One answer was asked for: what comes in several choices is one. Default false. */
  readonly oneChoice?: boolean;
  /** What the reader is told: limits, tools, rescue. */
  readonly reader?: Omit<AnyReaderOptions, "protocol" | "fastPath">;
  /** Hears of every event of the reader. */
  readonly onEvents?: (events: readonly StreamEvent[]) => void;
}

/** Frames that may wait, and their bytes: then they are written anew without what is not known yet. */
const MAX_WAITING = 32;
const MAX_WAITING_BYTES = 64 * 1024;
/** So many times more of them may wait once the end was announced. */
const ROOM_AT_THE_END = 16;
/** Bytes between frames that are looked at for comments. */
const MAX_BETWEEN = 4096;

const EMPTY = new Uint8Array(0);

interface Waiting {
  readonly raw: Uint8Array;
  readonly seen: Seen;
  /** What the texts beside the calls are to a strict client; undefined where such a client cannot take the frame. */
  readonly texts: string | undefined;
  readonly truths: Said[];
}

/**
 * Mends one stream. Push the server's bytes, send what comes out.
 *
 * A frame is passed on byte for byte when a strict client understands exactly what the reader does; it waits while the
 * reader does; else it is written anew, with every field that has nothing to do with the fault as it was.
 */
export class Mender<S> {
  readonly #dialect: Dialect<S>;
  readonly #options: MendOptions;
  readonly #framer: Framer;
  readonly #reader: ReturnType<typeof createReader>;
  readonly #holds: boolean;
  readonly #truths: Truths;
  #account = new Account();
  /** What the client knows, and what it would know with the frames that wait. */
  #known: S;
  #ahead: S;
  #queue: Waiting[] = [];
  #queueBytes = 0;
  /** Calls whose opening has been sent, and those that wait, each with its number. */
  readonly #sent: Map<string, number> = new Map();
  #unsent: Map<string, number> = new Map();
  /** Bytes behind the last frame. */
  readonly #bytes = new ByteQueue();
  #offset = 0;
  #over = false;
  /** Something that is no blank came behind the end. */
  #shut = false;
  /** An error was sent. */
  #failed = false;
  /** Calls that the client puts together itself: those whose opening the reader has not said yet, and the others. */
  #own = 0;
  readonly #clients: Set<string> = new Set();
  readonly #output: FramedOutput;

  /**
   * @param dialect The wire that both sides speak.
   * @param options See {@link MendOptions}.
   */
  constructor(dialect: Dialect<S>, options: MendOptions) {
    this.#dialect = dialect;
    this.#options = options;
    this.#known = dialect.start();
    this.#ahead = this.#known;
    this.#framer = createFramer({ maxFrameBytes: options.reader?.limits?.maxFrameBytes });
    this.#reader = createReader({ ...options.reader, protocol: dialect.protocol });
    const repair = options.repair === true;
    const { idsOptional, parses, wholes, restates } = dialect;
    const tools = options.reader?.tools;
    this.#output = new FramedOutput(options.framing);
    this.#holds = options.hold === true || repair;
    this.#truths = new Truths({ hold: this.#holds, repair, idsOptional, parses, wholes, restates, tools });
  }

  /** The response is over: nothing that is pushed matters any more. */
  get over(): boolean {
    return this.#over;
  }

  /** The end was announced: what is still to come may never come. */
  get finishing(): boolean {
    return !this.#over && this.#dialect.ending(this.#ahead);
  }

  /** Something waits to be sent. */
  get waiting(): boolean {
    return !this.#over && (this.#queue.length > 0 || this.#truths.holding);
  }

  /** Every wire that is mended has words for a failure. */
  get wordless(): false {
    return false;
  }

  /** Whether anything was written otherwise than it came. */
  get mended(): boolean {
    return this.#output.mended;
  }

  /** Takes bytes, gives bytes. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    if (this.#over) return this.#blanks(chunk);
    const events = this.#heard(this.#reader.push(chunk));
    const frames: Frame[] = [];
    this.#bytes.push(chunk);
    this.#framer.push(chunk, (frame) => frames.push(frame));
    this.#take(frames, events);
    if (this.#reader.over && !this.#over) this.#finish(this.#heard(this.#reader.end()));
    this.#between();
    return this.#given();
  }

  /** The server's body ended as it should. */
  end(): readonly Uint8Array[] {
    if (this.#over) return [];
    const frames: Frame[] = [];
    this.#framer.end((frame) => frames.push(frame));
    this.#finish(this.#heard(this.#reader.end()), frames);
    return this.#given();
  }

  /** The server's body broke off. */
  fail(error: unknown, code?: string): readonly Uint8Array[] {
    if (this.#over) return [];
    this.#finish(this.#heard(this.#reader.fail(error, code)));
    return this.#given();
  }

  /** The client has gone: closes the reader's books. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#heard(this.#reader.cancel());
  }

  #heard(events: readonly StreamEvent[]): readonly StreamEvent[] {
    if (events.length > 0) this.#options.onEvents?.(events);
    return events;
  }

  #given(): readonly Uint8Array[] {
    return this.#output.take();
  }

  /** Takes frames, each with the events that it gave. */
  #take(frames: readonly Frame[], events: readonly StreamEvent[]): void {
    let at = 0;
    for (const frame of frames) {
      const from = at;
      while (at < events.length && (events[at]?.at.frame ?? 0) <= frame.index) at++;
      this.#frame(frame, events.slice(from, at));
      if (this.#over) return;
    }
    if (at < events.length) this.#frame(undefined, events.slice(at));
  }

  #finish(events: readonly StreamEvent[], frames: readonly Frame[] = []): void {
    this.#take(frames, events);
    if (!this.#over) this.#conclude({ reason: null, raw: null });
  }

  #frame(frame: Frame | undefined, events: readonly StreamEvent[]): void {
    const seen = this.#seen(frame);
    const claims = this.#claims(seen, frame);
    const { said, ending, recalled } = this.#truths.take(
      this.#joins ? events.map(inOneChoice) : events,
      claims !== undefined,
    );
    this.#enqueue(frame, seen, claims, said);
    if (ending === undefined) this.#markCut();
    for (const key of recalled) if (!this.#clients.has(key)) this.#recall(key, said);
    if (ending !== undefined) return this.#conclude(ending);
    const announced = this.#dialect.ending(this.#ahead);
    const room = announced ? ROOM_AT_THE_END : 1;
    if (this.#account.odd) this.#rewrite();
    else if (this.#account.even && !announced) this.#release();
    else if (this.#queue.length > room * MAX_WAITING || this.#queueBytes > room * MAX_WAITING_BYTES) this.#rewrite();
  }

  #enqueue(frame: Frame | undefined, seen: Seen, claims: Claims<S> | undefined, truths: readonly Said[]): void {
    const raw = frame === undefined ? EMPTY : this.#cut(frame.end);
    if (claims === undefined) this.#account.spoil();
    else this.#ahead = claims.state;
    for (const each of claims?.said ?? []) this.#account.claim(each);
    this.#own += claims?.pieces ?? 0;
    const ours = truths.filter((each) => !this.#isOwn(each));
    for (const each of ours) if (this.#counts(each)) this.#account.confirm(this.#numbered(each));
    // Messages glued into one frame are written one by one; what is true comes with the last of them.
    for (const value of frame === undefined || claims !== undefined ? [] : glued(frame))
      this.#queue.push({ raw: EMPTY, seen: { ...seen, value: this.#joined(value) }, texts: undefined, truths: [] });
    this.#queue.push({ raw, seen, texts: claims && textsOf(claims.said), truths: ours });
    this.#queueBytes += raw.length;
  }

  #claims(seen: Seen, frame: Frame | undefined): Claims<S> | undefined {
    if (frame === undefined) return { said: [], state: this.#ahead };
    // Frames that a strict framer would cut otherwise, or drop.
    const sse = this.#options.framing === "sse";
    if (seen.joined || frame.fault !== undefined || !frame.terminated || !this.#framed) return undefined;
    if (sse ? isPadded(frame.data) : seen.done || frame.data.includes("\n")) return undefined;
    const claims = this.#dialect.claims(seen, this.#ahead);
    // What is held back is written whole.
    return claims?.pieces !== undefined && this.#holds ? undefined : claims;
  }

  /** Whether it is of a call that the client puts together itself. */
  #isOwn(said: Said): boolean {
    if (said.kind === "text" || said.kind === "error") return false;
    if (said.kind !== "open") return this.#clients.has(said.key);
    if (this.#own === 0) return false;
    this.#own--;
    this.#clients.add(said.call.key);
    return true;
  }

  /** What of the truth can be seen on the wire. */
  #counts(said: Said): boolean {
    return said.kind !== "close" || this.#dialect.closes;
  }

  #seen(frame: Frame | undefined): Seen {
    if (frame === undefined) return { value: undefined, done: false, event: undefined };
    const done = frame.data.length < 16 && frame.data.trim() === "[DONE]";
    const value = done ? undefined : parsed(frame.data);
    const joined = value === undefined ? undefined : this.#joined(value);
    if (joined === value) return { value, done, event: frame.event };
    return { value: joined, done, event: frame.event, joined: true };
  }

  get #joins(): boolean {
    return this.#options.oneChoice === true && this.#dialect.joined !== undefined;
  }

  #joined(value: Obj): Obj {
    return this.#joins ? (this.#dialect.joined?.(value) ?? value) : value;
  }

  /** Whether the server frames as the client wants it. */
  get #framed(): boolean {
    const { framing } = this.#framer;
    return framing === this.#options.framing || (framing === "json" && this.#options.framing === "ndjson");
  }

  /** The bytes up to an offset of the body. */
  #cut(end: number): Uint8Array {
    let size = Math.max(0, Math.min(end - this.#offset, this.#bytes.length));
    // The end of a line is no part of a JSON value, but a client waits for it.
    if (this.#options.framing === "ndjson") while (isBlank(this.#bytes.at(size))) size++;
    this.#offset += size;
    return this.#bytes.take(size);
  }

  /** Comments between frames keep a connection alive, blanks end a line: they pass when nothing waits before them. */
  #between(): void {
    const { length } = this.#bytes;
    if (length === 0 || length > MAX_BETWEEN || this.#queue.length > 0) return;
    const comments = this.#options.framing === "sse";
    const first = this.#bytes.at(0);
    if (!isBlank(first) && first !== 0x3a) return;
    if (!(comments ? COMMENTS : BLANKS).test(this.#bytes.peek())) return;
    // Blanks of another framing, or behind a line that was written anew with its end, are for nobody.
    const wanted = comments ? this.#framer.framing === "sse" : this.#output.wantsBlanks;
    const bytes = this.#bytes.take(length);
    this.#output.between(wanted ? bytes : EMPTY);
    this.#offset += length;
  }

  #recall(key: string, now: readonly Said[]): void {
    this.#account.spoil();
    const all = !now.some((each) => each.kind === "add" && each.key === key);
    for (const { truths } of this.#queue.slice(0, -1)) takeBack(truths, key, all);
  }

  /** The same with the number that the call would have, were what waits sent. */
  #numbered(said: Said): Said {
    if (said.kind === "open") this.#unsent.set(said.call.key, this.#sent.size + this.#unsent.size);
    return this.#renumbered(said);
  }

  #renumbered(said: Said): Said {
    if (said.kind === "text" || said.kind === "error") return said;
    const key = said.kind === "open" ? said.call.key : said.key;
    const number = String(this.#sent.get(key) ?? this.#unsent.get(key) ?? "");
    return said.kind === "open" ? { ...said, call: { ...said.call, key: number } } : { ...said, key: number };
  }

  /** Passes on what waits, byte for byte. */
  #release(): void {
    for (const { raw, truths } of this.#queue) {
      if (raw.length > 0) this.#output.pass(raw);
      for (const each of truths) this.#commit(each);
    }
    this.#settle(this.#ahead);
  }

  /** Writes what waits anew. */
  #rewrite(): void {
    let state = this.#known;
    this.#unsent = new Map();
    for (const { seen, texts, truths } of this.#queue) {
      const textStands = texts !== undefined && texts === textsOf(truths) && seen.value !== undefined;
      const said: Said[] = [];
      for (const each of truths) {
        this.#commit(each);
        if (!(textStands && each.kind === "text")) said.push(this.#renumbered(each));
      }
      const written = this.#dialect.anew({ ...seen, said, textStands }, state);
      state = written.state;
      this.#output.write(written.frames);
    }
    this.#settle(state);
    // Behind an error of ours nothing that still comes is worth anything.
    if (this.#failed && !this.#over) this.#giveUp();
  }

  #giveUp(): void {
    this.#over = true;
    this.#heard(this.#reader.end());
    this.#close();
  }

  #commit(said: Said): void {
    if (said.kind === "error") this.#failed = true;
    if (said.kind === "open" && !this.#sent.has(said.call.key)) this.#sent.set(said.call.key, this.#sent.size);
    this.#truths.sent(said);
  }

  #settle(state: S): void {
    this.#known = state;
    this.#ahead = state;
    this.#queue = [];
    this.#queueBytes = 0;
    this.#unsent = new Map();
    this.#account = new Account();
  }

  #conclude(ending: Ending): void {
    this.#dropCut(ending);
    const failed = this.#failed || this.#queue.some(({ truths }) => truths.some(({ kind }) => kind === "error"));
    const sound = this.#account.even ? this.#dialect.sound(ending, this.#ahead) : undefined;
    if (sound !== undefined || (failed && this.#account.even)) {
      this.#release();
      if (sound !== undefined && !failed && sound.frames.length > 0) this.#output.write(sound.frames);
    } else {
      this.#over = failed;
      this.#rewrite();
      // Behind an error no word of the end is right.
      if (!failed) this.#output.write(this.#dialect.conclude(ending, this.#known).frames);
    }
    this.#close();
  }

  /** A call that was cut off is not closed where the response failed, nor written where the wire has no halves. */
  #dropCut({ reason }: Ending): void {
    const well = reason === "stop" || reason === "tool_calls";
    if (well) this.#markCut();
    const may = well || (!this.#dialect.wholes && (reason === "length" || reason === "content_filter"));
    if (may) return;
    for (const { truths } of this.#queue)
      for (let at = truths.length - 1; at >= 0; at--) {
        const each = truths[at];
        if (each?.kind === "close" && each.whole?.status === "truncated") truths.splice(at, 1);
      }
  }

  /**
   * A call that is not whole, with a text that looks as if it were: what is missing was lost on the way. The client must
   * not run it, so its text is made one that does not parse; but where the response's own end says that it was cut, for that
   * the client knows, and where clients must parse it: there the text is another one already.
   */
  #markCut(): void {
    if (this.#dialect.wholes || this.#dialect.parses) return;
    const truths = this.#queue.at(-1)?.truths ?? [];
    for (let at = truths.length - 1; at >= 0; at--) {
      const each = truths[at];
      if (each?.kind !== "close" || each.whole?.status !== "truncated" || !looksWhole(each.whole)) continue;
      // A wire that has a word for it says so itself.
      if (each.whole.echo?.["status"] === "incomplete") continue;
      truths.splice(at, 0, { kind: "add", key: each.key, text: NOT_WHOLE });
      this.#account.spoil();
    }
  }

  #close(): void {
    this.#over = true;
    const rest = this.#bytes.take(this.#bytes.length);
    const array = this.#options.framing === "json-array";
    const tail = this.#output.mended ? [] : array ? [rest] : this.#blanks(rest);
    this.#output.end(tail);
  }

  /** Behind the end only blanks pass, and only to who got all as it came. */
  #blanks(bytes: Uint8Array): readonly Uint8Array[] {
    if (this.#output.mended || this.#shut) return [];
    const first = bytes.findIndex((byte) => !isBlank(byte));
    this.#shut = first >= 0;
    return [first < 0 ? bytes : bytes.subarray(0, first)];
  }
}

const COMMENTS = /^(?::[^\r\n]*\r?\n|\r?\n)+$/;
const BLANKS = /^[\r\n\t ]+$/;

function isBlank(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d || byte === 0x20 || byte === 0x09;
}

/** A marker with blanks around it, or several documents in one event, are beyond clients that compare texts. */
function isPadded(data: string): boolean {
  return data.length < 16 && data !== "[DONE]" && data.trim() === "[DONE]";
}

/** The messages in a frame that is no JSON by itself. */
function glued(frame: Frame): readonly Obj[] {
  if (parsed(frame.data) !== undefined) return [];
  return (splitGlued(frame.data) ?? []).map(parsed).filter((value) => value !== undefined);
}

/** As the library's encoders mark such calls. */
const NOT_WHOLE = '"<"<not whole>';

/** Whether a client would take the call's text for whole arguments; no text at all is often taken for none. */
function looksWhole({ argumentsText, kind }: ToolCall): boolean {
  const text = argumentsText.trim();
  return kind === "function" && (text === "" || text === "null" || parsed(text) !== undefined);
}

/** The texts beside the calls, as one text that is equal where they are. */
function textsOf(said: readonly Said[]): string {
  const lanes: Record<string, string> = {};
  for (const each of said) {
    if (each.kind !== "text" || each.text === "") continue;
    const lane = `${each.lane}:${each.choice}`;
    lanes[lane] = (lanes[lane] ?? "") + each.text;
  }
  return JSON.stringify(Object.entries(lanes).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function parsed(text: string): Obj | undefined {
  try {
    return objectOf(JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
