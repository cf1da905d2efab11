// What a body shows, as one word to compare: the wire, how its calls ended, which notices it gives. Owns what counts as the
// same finding.

import { Collector, createReader } from "unbraid";
import { rescue } from "unbraid/rescue";
import type { ReadingOptions } from "../model/recording.ts";

/** Bytes that are read between two breaths. */
const STRETCH = 64 * 1024;

/**
 * The finding of a body: two bodies with the same one go wrong in the same way. How often a notice is given does not
 * count, nor do names, ids and texts.
 *
 * @param breathe Waited for between stretches of a long body.
 */
export async function findingOf(
  body: Uint8Array,
  options: ReadingOptions,
  breathe?: () => Promise<void>,
): Promise<string> {
  const collector = new Collector();
  const reader = createReader({
    rescue,
    ...(options.protocol === undefined ? {} : { protocol: options.protocol }),
    ...(options.tools === undefined ? {} : { tools: options.tools }),
  });
  for (let at = 0; at < body.length; at += STRETCH) {
    for (const event of reader.push(body.subarray(at, at + STRETCH))) collector.add(event);
    if (body.length > STRETCH) await breathe?.();
  }
  for (const event of reader.end()) collector.add(event);
  const { calls, notices, dropped, finish, error, answered } = collector.result;
  return JSON.stringify({
    protocol: reader.protocol,
    calls: calls.map((call) => [call.kind, call.status, call.problem?.code, call.repair !== undefined]),
    notices: [...new Set(notices.map(({ code }) => code))].toSorted(),
    dropped: [...new Set(dropped.map(({ reason }) => reason))].toSorted(),
    answered: answered.length,
    finish,
    error: error === null ? null : (error.code ?? "error"),
  });
}
