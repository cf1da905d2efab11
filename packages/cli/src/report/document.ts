// What `unbraid calls --json` says of one body. Owns the document's fields, and which calls may run.

import { type Collected, type NoticeEvent, runnable, type ToolCall, type WireError, type WirePosition } from "unbraid";
import type { InputFailure } from "../failure.ts";
import type { ReadOutcome } from "../input/drive.ts";
import type { ToolDiagnostic } from "../tools/check.ts";

/** An irregularity of the stream, or of a call against its tool. */
export type Diagnostic = Omit<NoticeEvent, "type" | "at"> & { readonly at?: WirePosition };

/** An error, and whether it is one of the file rather than of the stream. */
export type DocumentError = WireError & { readonly fatal?: true };

/** One body. */
export interface CallsDocument {
  readonly file: string;
  readonly protocol: string | null;
  readonly calls: readonly ToolCall[];
  readonly dropped: Collected["dropped"];
  readonly finish: Collected["finish"];
  readonly rawFinish: string | null;
  readonly error: DocumentError | null;
  readonly text: string;
  readonly reasoning: string;
  /** Text that the vendor marked as a refusal; absent where there is none. */
  readonly refusal?: string;
  /** Ids of the calls that may run. */
  readonly runnable: readonly string[];
  readonly diagnostics: readonly (Diagnostic | ToolDiagnostic)[];
}

/**
 * The document of a body.
 *
 * @param file Its name on the command line.
 * @param collected What was read.
 * @param outcome How the reading went.
 * @param found What is wrong with its calls, seen from their tools.
 */
export function documentOf(
  file: string,
  collected: Collected,
  outcome: Pick<ReadOutcome, "protocol" | "failure">,
  found: readonly ToolDiagnostic[],
): CallsDocument {
  const { calls, dropped, finish, rawFinish, text, reasoning, refusal, notices } = collected;
  const faulty = new Set(found.map((diagnostic) => diagnostic.call));
  return {
    file,
    protocol: outcome.protocol,
    calls,
    dropped,
    finish,
    rawFinish,
    error: errorOf(collected.error, outcome.failure),
    text,
    reasoning,
    ...(refusal === "" ? {} : { refusal }),
    runnable: calls.filter((call) => mayRun(collected, call) && !faulty.has(call.key)).map((call) => call.id),
    diagnostics: [...notices.map(diagnosticOf), ...found.filter((one) => !isSaid(one, notices))],
  };
}

function diagnosticOf({ code, message, call, dropped, at }: NoticeEvent): Diagnostic {
  return { code, message, ...(call === undefined ? {} : { call }), ...(dropped === undefined ? {} : { dropped }), at };
}

/** The library knows the tools' names and required fields, and notices these by itself. */
function isSaid({ code, call }: ToolDiagnostic, notices: readonly NoticeEvent[]): boolean {
  return notices.some((notice) => notice.code === code && notice.call === call);
}

/** Of two choices each may hold a call of the same id: the library is asked for one call at a time. */
function mayRun(collected: Collected, call: ToolCall): boolean {
  return runnable({ ...collected, calls: [call] }).length > 0;
}

function errorOf(error: WireError | null, failure: InputFailure | undefined): DocumentError | null {
  return failure === undefined ? error : { code: failure.code, message: failure.message, fatal: true };
}

/** Notices of what was passed over, and of the end that did not come. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  "unknown-frame",
  "non-json-frame",
  "bare-line",
  "unterminated-stream",
]);

/** Whether nothing of a response was found: it is the request that was given, or a file of another kind. */
export function holdsNothing(document: CallsDocument): boolean {
  const { calls, dropped, finish, error, text, reasoning, refusal, diagnostics } = document;
  return (
    calls.length + dropped.length === 0 &&
    finish === null &&
    error === null &&
    text + reasoning + (refusal ?? "") === "" &&
    diagnostics.some(({ code }) => code === "unknown-frame") &&
    diagnostics.every(({ code }) => PASSED_OVER.has(code))
  );
}

/** Whether a stream was broken: an error in it or with it, or no terminal signal. */
export function isBroken(document: Pick<CallsDocument, "error" | "finish">): boolean {
  return document.error !== null || document.finish === null;
}
