// Content in the messages of Chat Completions, and of the vendors who took over their shape. Owns text and media of a user's
// message, and results: tool messages of text alone, the media of all of them in one message of the user's behind.

import type { Answer } from "./answer.ts";
import { isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { inCallOrder } from "./paired-results.ts";
import { behindResults, flagged, inPlaceOf } from "./result-words.ts";
import type { CallResult } from "./turn-form.ts";

/** A vendor's part for an image, a sound or a file; undefined where it takes no such thing. */
export type MediaPartOf = (part: MediaPart) => unknown;

/** The results of an answer, in the order of its calls. */
export function chatResults(
  given: readonly CallResult[],
  answer: Answer | undefined,
  mediaPart: MediaPartOf,
): readonly unknown[] {
  const ordered = inCallOrder(given, answer);
  const media = behindResults(ordered, mediaPart, textPart);
  return [
    ...ordered.map(({ call, content, isError }) => ({
      role: "tool",
      tool_call_id: call.id,
      content: flagged(textOf(content, inPlaceOf(mediaPart)), isError),
    })),
    ...(media.length === 0 ? [] : [{ role: "user", content: media }]),
  ];
}

/** The content of a user's message: text where there is nothing else. */
export function chatUserContent(content: readonly ContentPart[], mediaPart: MediaPartOf): unknown {
  if (!content.some(isMedia)) return textOf(content);
  return content.map((part) => (isMedia(part) ? (mediaPart(part) ?? textPart(leftOut(part))) : textPart(part.text)));
}

function textPart(text: string): unknown {
  return { type: "text", text: wellFormed(text) };
}
