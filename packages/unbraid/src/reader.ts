// The face of a reader: what may be pushed, asked and ended. How it reads is base-reader.ts, and those who build on it.

import type { StreamEvent } from "./events.ts";
import type { FieldListener } from "./parts/live-values.ts";
import type { ProtocolName } from "./protocols/protocol.ts";

export type { ReaderOptions } from "./reader-options.ts";

/**
 * Reads one response as it comes. Made by a wire's `reader()` or by `createReader()`.
 *
 * @example
 * const reader = createReader({ protocol: openaiChat });
 * for (const event of reader.push('data: {"choices":[]}\n\n')) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export interface Reader {
  /** The wire's name; undefined until it has been found. */
  readonly protocol: ProtocolName | undefined;
  /** True once the response is over: what is pushed after that is passed over. */
  readonly over: boolean;
  /** Says that the body is that of an HTTP response which was not ok: its errors carry the status. */
  refused(status: number): void;
  /** True once an error was said. */
  readonly errored: boolean;
  /** True once a finish word has come: what still follows is only trailing data, and may never come. */
  readonly finishing: boolean;
  /**
   * Follows one field of the arguments of every call to a tool: the text of a string as it grows, any other value as
   * soon as it is whole.
   *
   * @param tool The tool's name.
   * @param path A JSON path: `$`, `.name`, `['name']`, `[0]`, `[*]`.
   * @param listener Called with each new piece of text and `{ done, value?, call }`.
   * @throws TypeError where the path cannot be read, or the reader was made without live values.
   * @example
   * reader.follow("write_file", "$.content", (text, { done }) => editor.insert(text));
   */
  follow(tool: string, path: string, listener: FieldListener): void;
  /**
   * The value so far of a call's arguments. Costs what is new since the last time it was read.
   *
   * @param key The call's key.
   * @returns A live value that grows in place (copy it to keep it); undefined before the first character, for free text
   *   and for an unknown key.
   * @throws TypeError where the reader was made without live values.
   */
  partial(key: string): unknown;
  /**
   * Takes the next piece of the body.
   *
   * @param chunk Bytes; a string, which is taken as UTF-8; or an object that a vendor's SDK made of one frame.
   * @returns The events that it completed, in order; often none.
   * @throws TypeError after `end`, and for what is none of these.
   */
  push(chunk: Uint8Array | string | object): readonly StreamEvent[];
  /** Ends the body. Closes what is open. Further calls give nothing. */
  end(): readonly StreamEvent[];
  /**
   * The source failed: reads what it had given, says the error unless the stream itself had said one, and closes what is
   * open.
   *
   * @param error What the source threw. Errors of the vendors' SDKs hold the vendor's own code and words.
   * @param code The code to give where the error has none; `source` where it is not said.
   */
  fail(error: unknown, code?: string): readonly StreamEvent[];
  /** The reading was given up: closes what is open; the finish is `cancelled`. */
  cancel(): readonly StreamEvent[];
}
