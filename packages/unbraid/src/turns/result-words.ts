// What a model reads of a result that its wire cannot say otherwise. Owns those words, and what stands behind results that
// hold more than their wire takes.

import type { ToolCall } from "../events.ts";
import { follows, isMedia, leftOut, wellFormed, type MediaPart } from "./content.ts";
import type { CallResult } from "./turn-form.ts";

/**
 * The text of a result on a wire without an error flag: it says itself that it is an error.
 *
 * @example
 * flagged("no such file", true); // "Error: no such file"
 */
export function flagged(text: string, isError: true | undefined): string {
  return isError === true && !/^\W*error\b/i.test(text) ? `Error: ${text}` : text;
}

/** What stands before media that could not stand in the result. */
export function mediaHead({ name, id }: ToolCall): string {
  return wellFormed(`Returned by the tool ${name.slice(0, 64)} for the call ${id}:`);
}

/**
 * What a result says in place of a part: that it follows, where the vendor takes it behind the results.
 *
 * @param partOf A part as the vendor takes it; undefined where it does not.
 * @param say Says where it is to be found. Default: in the next message.
 */
export function inPlaceOf(
  partOf: (part: MediaPart) => unknown,
  say: (part: MediaPart) => string = follows,
): (part: MediaPart) => string {
  return (part) => (partOf(part) === undefined ? leftOut(part) : say(part));
}

/** What a result says in place of a part that stands behind all results, in the same message. */
export function standsBehind(part: MediaPart): string {
  return `[${part.type} (${part.mediaType}): it stands behind the results]`;
}

/**
 * The content of one message behind all results, for what they hold and their wire does not take in them.
 *
 * @param results In call order.
 * @param partOf A part as the vendor takes it in a message; undefined where it does not.
 * @param textOf A text as a part of such a message.
 * @returns Nothing where nothing is left to be sent.
 */
export function behindResults<Part>(
  results: readonly CallResult[],
  partOf: (part: MediaPart) => Part | undefined,
  textOf: (text: string) => Part,
): readonly Part[] {
  return results.flatMap(({ call, content }) => {
    const media = content
      .filter(isMedia)
      .map(partOf)
      .filter((part) => part !== undefined);
    return media.length === 0 ? [] : [textOf(mediaHead(call)), ...media];
  });
}
