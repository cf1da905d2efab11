// A body in parts that can be left out one by one, and put together again. Owns what must stand between them in each
// framing; knows nothing of what the parts say.

/** How a body is put together. */
export interface Joint {
  /** Before the first part. */
  readonly head: Uint8Array;
  /** Between two parts. */
  readonly between: Uint8Array;
  /** Behind the last. */
  readonly tail: Uint8Array;
}

const encoder = new TextEncoder();
const NOTHING = new Uint8Array();
const LINE_END = encoder.encode("\n");

/** The ways to put parts of a framing together that are worth trying, the plainest first. */
export function jointsOf(framing: string | undefined): readonly Joint[] {
  switch (framing) {
    case "json-array":
      return [
        { head: encoder.encode("["), between: encoder.encode(",\n"), tail: encoder.encode("]") },
        { head: encoder.encode("["), between: encoder.encode(",\n"), tail: NOTHING },
      ];
    case "ndjson":
    case "json":
      return [
        { head: NOTHING, between: LINE_END, tail: LINE_END },
        { head: NOTHING, between: LINE_END, tail: NOTHING },
      ];
    default:
      return [{ head: NOTHING, between: NOTHING, tail: NOTHING }];
  }
}

/** The parts as one body. */
export function joined(parts: readonly Uint8Array[], joint: Joint): Uint8Array<ArrayBuffer> {
  const pieces = [joint.head, ...parts.flatMap((part, at) => (at === 0 ? [part] : [joint.between, part])), joint.tail];
  const body = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}
