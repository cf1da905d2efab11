// One response that the inspector knows: a source that can be opened again and again, or a live one that is kept in memory.
// Owns what is told of it to the page; knows no HTTP.

import type { DeclaredTool, ProtocolName } from "unbraid";
import type { Summary } from "../model/summary.ts";

/** A chunk of a body and its time of arrival. */
export interface TimedBytes {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** When they came, in milliseconds of any clock that does not go back. */
  readonly time: number;
}

/** How a response is to be read, and what it is called. */
export interface ResponseDescription {
  /** What the list calls it: a file's path, or method and address. */
  readonly name: string;
  /** The wire; found from the bytes when absent. */
  readonly protocol?: ProtocolName;
  /** The tools that the request declared: with them, calls left in the text are recovered. */
  readonly tools?: readonly DeclaredTool[];
}

/** A recorded response. */
export interface RecordedResponse extends ResponseDescription {
  /**
   * Opens the body from its beginning: bytes, or bytes with times where they are known. Called each time that somebody
   * looks at it; an error that it throws is shown in the page.
   */
  readonly open: () => AsyncIterable<Uint8Array | TimedBytes>;
  /**
   * Whether it is a response at all, where that is not sure: it leaves the list if it is none. Called once, before it is read
   * for the list; one that rejects is taken for a response. Default: it is one.
   */
  readonly isResponse?: () => Promise<boolean>;
}

/** What the page is told of a response. Plain data. */
export interface EntryInfo {
  /** Unique in the inspector. */
  readonly id: string;
  /** See {@link ResponseDescription}. */
  readonly name: string;
  /** Whether it comes live, or came live. */
  readonly live: boolean;
  /** Milliseconds of the system clock when it was added. */
  readonly added: number;
  /** Its line; null until somebody has read it. */
  readonly summary: Summary | null;
  /** Why it could not be read, or not to its end. */
  readonly failure: string | null;
}

/** What the page is told once it opens a response. */
export interface EntryDetails {
  /** The wire, where it was named. */
  readonly protocol: ProtocolName | null;
  /** The tools, where they are known. */
  readonly tools: readonly DeclaredTool[] | null;
}
