// Answers that were asked for once and come in pieces of several choices: the blocks of another vendor's answer under a number
// each. Owns the putting together; that only one was asked for is for the caller to know.

import type { StreamEvent } from "unbraid";
import { type Obj, objectOf, objectsOf } from "./dialect.ts";

/** Whether a request asks for one answer, as nearly all do. False where there is no request to read. */
export function asksForOne(body: Obj | undefined): boolean {
  const count = body?.["n"] ?? objectOf(body?.["generationConfig"])?.["candidateCount"] ?? 1;
  return body !== undefined && count === 1;
}

/** The event as one of the only choice. */
export function inOneChoice(event: StreamEvent): StreamEvent {
  switch (event.type) {
    case "text":
    case "reasoning":
    case "part":
      return event.choice === 0 ? event : { ...event, choice: 0 };
    case "call.close":
      return event.call.choice === 0 ? event : { ...event, call: { ...event.call, choice: 0 } };
    case "call.start":
    case "call.append":
    case "call.replace":
    case "call.retract":
      return event.call.choice === 0 ? event : { ...event, call: { ...event.call, choice: 0 } };
    default:
      return event;
  }
}

/** A chunk whose choices are one; itself where they are. */
export function chunkOfOne(chunk: Obj): Obj {
  const choices = objectsOf(chunk["choices"]);
  if (choices.every(({ index }) => index === 0) && choices.length < 2) return chunk;
  if (choices.length === 0) return chunk;
  return { ...chunk, choices: [{ ...merged(choices, "delta"), index: 0 }] };
}

/** A whole answer whose choices are one; itself where they are. */
export function answerOfOne(body: Obj): Obj {
  const choices = objectsOf(body["choices"]);
  if (choices.length < 2) return body;
  return { ...body, choices: [{ ...merged(choices, "message"), index: 0 }] };
}

/** The choices as one: what one of them says stands, of lists everything. */
function merged(choices: readonly Obj[], inner: "delta" | "message"): Obj {
  const words: Record<string, unknown> = {};
  const saying = (of: Obj): [string, unknown][] => Object.entries(of).filter(([, each]) => each !== null);
  for (const [name, each] of choices.flatMap((choice) => saying(objectOf(choice[inner]) ?? {}))) {
    const before = words[name];
    words[name] =
      Array.isArray(before) && Array.isArray(each) ? [...(before as unknown[]), ...(each as unknown[])] : each;
  }
  const finish = choices.map((choice) => choice["finish_reason"]).find((word) => typeof word === "string");
  return {
    ...Object.fromEntries(choices.flatMap(saying)),
    [inner]: { ...objectOf(choices[0]?.[inner]), ...words },
    finish_reason: finish ?? null,
  };
}
