// What a protocol is: how one vendor wire is recognised and read. Owns the contract; the wires are one file each beside it.

import type { ExtraFraming, Framer, FramingName } from "../framing/frame.ts";
import type { Assembler } from "../assembly/assembler.ts";
import type { Sink } from "../assembly/sink.ts";
import type { FragmentFrame } from "../templates/fragment.ts";

/** The wires that can be read. A name covers a vendor's variants, which are told apart from the bytes. */
export type ProtocolName =
  | "openai-chat"
  | "openai-responses"
  | "openai-realtime"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "cohere"
  | "mistral"
  | "ollama"
  | "text";

/** Reads the frames of one response, or of one session. Keeps no argument text and no map of open calls. */
export interface ProtocolReader {
  /** True for a wire that carries one response after another: frames behind the end of one are read too. */
  readonly session?: boolean;
  /**
   * Says what one frame means.
   *
   * @param value The frame's JSON value. Anything may be in it: what is not understood is passed over.
   * @param sink Takes the meaning.
   * @param event The frame's SSE `event:` field or AWS event type, where it has one.
   * @param framing How the body is framed; absent where the source gives objects.
   */
  read(value: unknown, sink: Sink, event?: string, framing?: FramingName): void;
  /**
   * Describes a frame that has just been read, if it adds one fragment and says nothing else: no text, no identity, no
   * finish, no usage, no error. Values that are no holes are taken to be the same in every frame that matches.
   */
  fragment?(value: unknown): FragmentFrame | undefined;
  /** The body is over: what was held back for the next frame is said. */
  end?(sink: Sink): void;
}

/** One vendor wire. */
export interface Protocol {
  readonly name: ProtocolName;
  /** How the vendor frames it when nobody breaks it. */
  readonly framing: FramingName;
  /** The body is one text: this makes frames of its pieces, which `read` takes as they are. Its end is the terminal signal. */
  readonly raw?: () => Framer;
  /** What takes the words of its reader, where they are more than a `Sink` has: only those who read such a wire load it. */
  readonly assembler?: typeof Assembler;
  /** Framings that only this wire comes in. */
  readonly extraFramings?: readonly ExtraFraming[];
  /**
   * How sure a frame is of this wire: 1 it can be no other, 0 it is not, between: it may be.
   *
   * @param value The frame's JSON value, an object.
   * @param event The frame's SSE `event:` field or AWS event type.
   */
  detect(value: Readonly<Record<string, unknown>>, event?: string): number;
  /** A reader for one response. */
  start(): ProtocolReader;
}
