// Bodies of Bedrock: AWS's binary messages, or text where an error or a whole answer comes. Owns the choice, by the first byte.

import { awsEventStream } from "../framing/aws-event-stream.ts";
import type { EmitFrame, Framer, FramingName } from "../framing/frame.ts";

/** See the file's head. */
export class AwsBodies implements Framer {
  readonly #text: Framer;
  readonly #limit: number;
  #framer: Framer | undefined;

  /**
   * @param text Reads bodies of text.
   * @param limit Longest frame in bytes.
   */
  constructor(text: Framer, limit: number) {
    this.#text = text;
    this.#limit = limit;
  }

  get framing(): FramingName | undefined {
    return this.#framer?.framing;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    const [first] = bytes;
    if (first === undefined) return;
    this.#framer ??= awsEventStream.begins(first) ? awsEventStream.make(this.#limit, 0) : this.#text;
    this.#framer.push(bytes, emit);
  }

  end(emit: EmitFrame): void {
    this.#framer?.end(emit);
  }
}
