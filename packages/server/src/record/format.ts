// How a recording lies on disk. Owns the names of the files and the shape of what stands in them.
//
// One exchange is three files with a common stem in one folder:
//
//     2026-05-04T12-00-00.123Z-1.json                     the exchange: request, head of the answer, how it ended
//     2026-05-04T12-00-00.123Z-1.openai-chat.sse          the body of the answer, as it came, without its compression
//     2026-05-04T12-00-00.123Z-1.openai-chat.sse.times    its arrival: a line a piece, [milliseconds, end of the piece in bytes]
//
// The body is a plain body, so that everything which reads bodies reads recordings. The exchange's file is written last: what
// has none is not whole. Secrets are out of all three before they are written.

/** The version of the format. */
export const RECORDING_FORMAT = "unbraid-recording/1";

/** The file of the exchange. */
export interface RecordedExchange {
  /** The version of the format. */
  readonly format: typeof RECORDING_FORMAT;
  /** Unique in the process that recorded. */
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The name of the upstream. */
  readonly upstream: string;
  /** The wire of the answer; null where it is not known. */
  readonly protocol: string | null;
  /** What was asked. */
  readonly request: {
    readonly method: string;
    /** Path and query, as the client wrote them, without secrets. */
    readonly url: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    /** The body: JSON as its value, other text as a string, anything else as `{ "bytes": N }`; null where there was none. */
    readonly body: unknown;
  };
  /** Null where the upstream gave no answer. */
  readonly response: {
    readonly status: number;
    readonly headers: readonly (readonly [name: string, value: string])[];
    /** The name of the body's file, in the same folder. */
    readonly body: string;
    readonly bytes: number;
    /** False where the end was not recorded: the client left, the upstream broke off, or a limit was reached. */
    readonly whole: boolean;
  } | null;
  /** One word where the exchange failed. */
  readonly error: string | null;
}

/** The ending of a body's file. */
export function endingOf(contentType: string): string {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  switch (type) {
    case "text/event-stream":
      return "sse";
    case "application/x-ndjson":
    case "application/jsonl":
      return "ndjson";
    case "application/json":
      return "json";
    case "application/vnd.amazon.eventstream":
      return "eventstream";
    default:
      return type.startsWith("text/") ? "txt" : "bin";
  }
}

/** One arrival: milliseconds since the exchange began, and where the piece ends in the body. */
export type Arrival = readonly [ms: number, end: number];

/**
 * Reads a `.times` file.
 *
 * @param text Its text.
 * @returns The arrivals, in order; lines that say something else are passed over.
 */
export function parseTimes(text: string): readonly Arrival[] {
  const arrivals: Arrival[] = [];
  let last = 0;
  for (const line of text.split("\n")) {
    const match = /^\[(\d+(?:\.\d+)?),(\d+)\]$/.exec(line.trim());
    const end = Number(match?.[2]);
    if (match === null || end < last) continue;
    last = end;
    arrivals.push([Number(match[1]), end]);
  }
  return arrivals;
}
