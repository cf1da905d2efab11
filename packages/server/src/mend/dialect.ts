// What mending must know of a wire. Owns the contract between `mender.ts` and one file a wire.

import type { ProtocolName } from "unbraid";
import type { Ending, Said } from "./said.ts";

/** A JSON object of the wire. */
export type Obj = Readonly<Record<string, unknown>>;

/** How the client wants its frames framed. */
export type OutFraming = "sse" | "ndjson" | "json-array";

/** A frame as a strict client sees it. */
export interface Seen {
  /** The parsed JSON; undefined where it is none, or the framing is not what a strict client takes. */
  readonly value: Obj | undefined;
  /** The frame says `[DONE]`. */
  readonly done: boolean;
  /** The SSE event's name. */
  readonly event: string | undefined;
  /** It came in several choices and was put together: no client can take it as it came. */
  readonly joined?: true;
}

/** What a strict client understands. */
export interface Claims<S> {
  readonly said: readonly Said[];
  /** What the client knows then. */
  readonly state: S;
  /**
   * The frame holds pieces of calls in a form that a client puts together itself where it asked for that form; how many
   * calls begin in it.
   */
  readonly pieces?: number;
}

/** A frame to be written anew. */
export interface Anew extends Seen {
  /** What is true, and comes with this frame. */
  readonly said: readonly Said[];
  /** The texts beside the calls are right as the frame has them: they are not in `said` and stay in the frame. */
  readonly textStands: boolean;
}

/** Frames to send, and what the client knows then. */
export interface Written<S> {
  readonly frames: readonly OutFrame[];
  readonly state: S;
}

/** One frame to send. */
export interface OutFrame {
  /** A JSON value, or the marker of the end. */
  readonly value: Obj | typeof DONE;
  readonly event?: string;
}

/** The marker that ends the streams of OpenAI and others. */
export const DONE: unique symbol = Symbol("[DONE]");

/**
 * One wire. `S` is what a strict client that has read the frames so far knows; it is never changed, only made anew, for the
 * frames that wait may yet be written otherwise.
 */
export interface Dialect<S> {
  readonly protocol: ProtocolName;
  /** Calls may come without an id. */
  readonly idsOptional: boolean;
  /** Clients parse the arguments while they read, and fail as a whole where those are no object. */
  readonly parses: boolean;
  /** Calls stand on the wire whole, as objects: what is not whole cannot be written. */
  readonly wholes: boolean;
  /** The wire says a call's arguments again at its end, and that is what counts: what was streamed can be put right. */
  readonly restates: boolean;
  /** Whether the end of a call can be seen on the wire before the end of the response. */
  readonly closes: boolean;
  start(): S;
  /** A strict client's understanding of a frame; undefined where such a client would fail at it or misunderstand it. */
  claims(frame: Seen, state: S): Claims<S> | undefined;
  /** The frame with its choices as the one that was asked for; only where wires have several. */
  joined?(frame: Obj): Obj;
  /** Whether the frame, or one before it, says that the response is about to end: what comes then waits for the end. */
  ending(state: S): boolean;
  /** Whether the end was told as it is; with the frames that are missing behind it. */
  sound(ending: Ending, state: S): Written<S> | undefined;
  /** The frame without what it claims, and with what is true. What tells of the end is kept for `conclude`. */
  anew(frame: Anew, state: S): Written<S>;
  /** The end, as it is. */
  conclude(ending: Ending, state: S): Written<S>;
  /** The end by an error that the frames did not tell. */
  failure(error: { readonly code: string | number | null; readonly message: string }, state: S): readonly OutFrame[];
}

/** A value that is an object and no list. */
export function objectOf(value: unknown): Obj | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Obj) : undefined;
}

/** The objects in a list. */
export function objectsOf(value: unknown): readonly Obj[] {
  return Array.isArray(value) ? value.filter((each): each is Obj => objectOf(each) !== undefined) : [];
}

/** An object without some of its fields. */
export function without(from: Obj, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
}

/** Whether an id or a name says something: servers write these words for nothing. */
export function isWord(value: unknown): value is string {
  return typeof value === "string" && !["", "null", "None", "undefined"].includes(value);
}
