// One body through one reader. Owns the loop between the input and the events: what is handed on when, and how the
// reading ends. Knows no command.

import {
  createReader,
  type DeclaredTool,
  type Limits,
  type ProtocolName,
  type Reader,
  type StreamEvent,
} from "unbraid";
import { rescue } from "unbraid/rescue";
import { InputFailure } from "../failure.ts";
import type { Io } from "../io.ts";
import { openInput, STDIN } from "./open.ts";
import { recordedTimes } from "./recorded.ts";
import { Slicer } from "./slicer.ts";
import { until } from "./until.ts";

/** How a body is to be read. */
export interface ReadSettings {
  /** Found from the bytes when absent. */
  readonly protocol: ProtocolName | undefined;
  readonly tools: readonly DeclaredTool[] | undefined;
  readonly limits: Partial<Limits>;
  /** Bytes that are given to the reader at once; as they come when absent. */
  readonly chunkSize: number | undefined;
  /** Milliseconds of a clock, where arrival times are known. */
  readonly clock?: () => number;
}

/** Takes what comes of a body. */
export interface Taker {
  /** The raw bytes, before the events that they complete. */
  bytes?(chunk: Uint8Array): void;
  /** The events of some bytes, at least one. */
  events(events: readonly StreamEvent[]): void | Promise<void>;
}

/** How the reading of a body went. */
export interface ReadOutcome {
  /** Null where nothing told. */
  readonly protocol: ProtocolName | null;
  /** Why the body could not be read, or not to its end. */
  readonly failure: InputFailure | undefined;
  readonly interrupted: boolean;
}

/** Milliseconds that standard input is waited for after the finish word: the server may leave its connection open. */
const SETTLE = 5000;

/**
 * Reads one body to its end. Trouble in the stream and with the input is in the events; both leave what was read.
 *
 * @param name A path, or `-` for standard input.
 * @param io Gives standard input, and Ctrl-C.
 * @param settings See {@link ReadSettings}.
 * @param taker Takes bytes and events; what it throws ends the reading.
 */
export async function readBody(name: string, io: Io, settings: ReadSettings, taker: Taker): Promise<ReadOutcome> {
  const input = openInput(name, io);
  if (name === STDIN) return readChunks(input, io.interrupt, settings, taker, SETTLE);
  if (settings.chunkSize !== undefined) return readChunks(input, io.interrupt, settings, taker);
  return readRecorded(name, input, io.interrupt, settings, taker);
}

/** As {@link readChunks}, the bytes of a file, at the times that were recorded beside it where there are some. */
export async function readRecorded(
  path: string,
  input: AsyncIterable<Uint8Array>,
  interrupt: AbortSignal,
  settings: ReadSettings,
  taker: Taker,
): Promise<ReadOutcome & { readonly recorded: boolean }> {
  const times = await recordedTimes(path);
  const outcome =
    times === undefined
      ? await readChunks(input, interrupt, settings, taker)
      : await readChunks(times.pieces(input), interrupt, { ...settings, clock: times.clock }, taker);
  return { ...outcome, recorded: times !== undefined };
}

/** A reader for one body. */
export function readerFor({ protocol, tools, limits, clock }: ReadSettings): Reader {
  return createReader({
    limits,
    // Acts only with declared tools, and on a model's raw text.
    rescue,
    ...(protocol === undefined ? {} : { protocol }),
    ...(tools === undefined ? {} : { tools }),
    ...(clock === undefined ? {} : { clock }),
  });
}

/**
 * As {@link readBody}, from bytes that are there.
 *
 * @param settle Milliseconds to wait for more after the finish word; undefined: until the input ends.
 */
export async function readChunks(
  input: AsyncIterable<Uint8Array>,
  interrupt: AbortSignal,
  settings: ReadSettings,
  taker: Taker,
  settle?: number,
): Promise<ReadOutcome> {
  const { protocol, chunkSize } = settings;
  const reader = readerFor(settings);
  const slicer = new Slicer(chunkSize);
  const push = async (pieces: Iterable<Uint8Array>): Promise<void> => {
    const events: StreamEvent[] = [];
    for (const piece of pieces) for (const event of reader.push(piece)) events.push(event);
    if (events.length > 0) await taker.events(events);
  };
  let failure: InputFailure | undefined;
  let begun = false;
  try {
    const patience = (): number | undefined => (reader.finishing ? settle : undefined);
    for await (const chunk of until(input, { signal: interrupt, patience })) {
      begun = true;
      taker.bytes?.(chunk);
      await push(slicer.push(chunk));
      if (reader.over) break;
    }
    await push(slicer.end());
  } catch (error) {
    if (!(error instanceof InputFailure)) throw error;
    failure = error;
    await push(slicer.end());
  }
  const interrupted = interrupt.aborted && !reader.over;
  const last = failure !== undefined ? reader.fail(failure) : interrupted ? reader.cancel() : reader.end();
  if (last.length > 0) await taker.events(last);
  // The reader settles for some wire when it is told of a failure.
  const known = begun || protocol !== undefined ? reader.protocol : undefined;
  return { protocol: known ?? null, failure, interrupted };
}
