// What `unbraid turn --json` says of one body. Owns the document's fields.

import { turnFormOf, withRepairs, type Answer, type CallResult, type TurnForm } from "unbraid/turns";
import type { DocumentError } from "../report/document.ts";
import type { Decided } from "./decide.ts";

/** The turn of one body, as the next request takes it. */
export interface TurnDocument {
  readonly file: string;
  readonly protocol: string | null;
  /** The name of the form; null where the wire is not known. */
  readonly form: string | null;
  /** The message, where the vendor's turn is one (null where there is nothing to say), else the list of items. */
  readonly assistant: unknown;
  /** The results of calls that cannot run: the message where the vendor wants one, else the list. */
  readonly results: unknown;
  /** Ids of the calls that could run, or that ask whether the vendor may: they have no result yet. */
  readonly pending: readonly string[];
  readonly finish: Answer["finish"];
  readonly error: DocumentError | null;
}

/** An answer, and what becomes of its calls. */
export interface DecidedAnswer {
  readonly answer: Answer;
  readonly decided: Decided;
}

/**
 * The document of a body.
 *
 * @param file Its name on the command line.
 * @param answers Its responses: one, but for the record of a session, whose turns stand one behind the other.
 * @param error What went wrong.
 */
export function turnDocument(
  file: string,
  answers: readonly DecidedAnswer[],
  error: DocumentError | null,
): TurnDocument {
  const last = answers.at(-1)?.answer;
  const form = last === undefined ? undefined : turnFormOf(last);
  const assistant = answers.flatMap((one) => [...echo(one)]);
  const results = answers.flatMap(({ answer, decided }) => [...resultsOf(turnFormOf(answer), decided.results)]);
  return {
    file,
    protocol: last?.protocol ?? null,
    form: form?.name ?? null,
    assistant: form === undefined ? null : oneOrList(form.shape.assistant, assistant),
    results: form === undefined ? [] : oneOrList(form.shape.results, results),
    pending: answers.flatMap(({ decided }) => decided.waiting.map((call) => call.id)),
    finish: last?.finish ?? null,
    error,
  };
}

function echo({ answer, decided: { repaired } }: DecidedAnswer): readonly unknown[] {
  return turnFormOf(answer).assistant(withRepairs(answer, (call) => repaired.has(call.key)));
}

function resultsOf(form: TurnForm, results: readonly CallResult[]): readonly unknown[] {
  return results.length === 0 ? [] : form.results(results);
}

function oneOrList(shape: "message" | "items", messages: readonly unknown[]): unknown {
  return shape === "items" || messages.length > 1 ? messages : (messages[0] ?? null);
}
