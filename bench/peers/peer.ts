// What the comparison knows of a reader: how it is asked for a response, and what it hands out. Owns these words; imports
// no peer.

/** The wires that are compared. */
export type Wire = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export const WIRES: readonly Wire[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

/** A tool as a request declares it. */
export interface Tool {
  readonly name: string;
  /** JSON Schema of the arguments, of type `object`. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a reader is asked. */
export interface Ask {
  /** The base URL that stands in for the vendor's. */
  readonly url: string;
  readonly tools: readonly Tool[];
  /** Given up when this aborts. */
  readonly signal: AbortSignal;
  /** Asks for the arguments' value so far at every fragment, where the reader has it. */
  readonly onPartial?: (value: unknown) => void;
}

/** A call of the client's tools that a reader hands out as finished. */
export interface HandedCall {
  readonly id: string | undefined;
  readonly name: string;
  /** The argument text, where that is what the reader hands out. */
  readonly text?: string;
  /** The arguments' value, where the reader has parsed them. */
  readonly value?: unknown;
  /** The reader says itself that this call must not run. */
  readonly flagged?: true;
}

/** What a reader makes of a response. */
export interface Handed {
  readonly calls: readonly HandedCall[];
  /** The reader's own word for how the response ended; null where it has none. */
  readonly finish: string | null;
}

/** A reader of one wire, used as its users use it. */
export interface Peer {
  /** Package and entry, as they are written in code. */
  readonly name: string;
  readonly wire: Wire;
  /** The packages whose versions matter; empty for a reading that is written here. */
  readonly packages: readonly string[];
  /** Reads a response to its end. Rejects where the reader throws. */
  read(ask: Ask): Promise<Handed>;
  /** Whether it can give the value so far: `asked` with `onPartial`, or `always`, which cannot be turned off. */
  readonly partials?: "asked" | "always";
}
