// The turns of all bodies: each is read, and answered with a result for every call. Owns the building; nothing is judged here.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AnswerCollector, pending, turnFormOf, type Answer, type CallResult, type TurnForm } from "unbraid/turns";
import { composedCases, eventsOf, recordings, type Case } from "./compare.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const recorded = here("../../shared/conformance/corpus/");

/** Recordings are other people's data: they are read where they lie, and are no part of the repository. */
export const hasRecordings: boolean = existsSync(recorded);

/** Every composed case, and every recording that is there. */
export function allBodies(): Case[] {
  const composed = ["./cases/", "./cases-more/", "./cases-wires/", "./cases-text/"].map(here).flatMap(composedCases);
  return [...composed, ...(hasRecordings ? recordings(recorded) : [])];
}

/** One response and what goes back after it. */
export interface Turn {
  readonly name: string;
  readonly answer: Answer;
  readonly form: TurnForm;
  readonly given: readonly CallResult[];
}

/** The responses of a body, with a result for every call that needs one. */
export function turnsOf(one: Case): Turn[] {
  const collector = new AnswerCollector(one.protocol);
  for (const event of eventsOf(one)) collector.add(event);
  return collector.answers.map((answer) => ({
    name: one.name,
    answer,
    form: turnFormOf(answer),
    given: pending(answer).map((call, at) => resultOf(call, at)),
  }));
}

/** Every third one failed, and every fourth holds an image: all shapes come up. */
function resultOf(call: CallResult["call"], at: number): CallResult {
  const image = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
  const text = { type: "text", text: `result ${at}` } as const;
  return {
    call,
    content: at % 4 === 3 ? [text, image] : [text],
    ...(at % 3 === 2 ? { isError: true } : {}),
  };
}
