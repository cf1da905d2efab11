// The words of the notices that the rules for broken wires give, and why they kept something out.

import type { NoticeCode } from "../events.ts";
import { defined } from "../defined.ts";
import { type Sentences, SENTENCES } from "./notices.ts";
import type { NoticedCall, Speech } from "./speech.ts";

/** With those of a sound wire. */
export const RULE_SENTENCES: Sentences = /* @__PURE__ */ withRules({
  // identity
  "id-late": "The call's id came after its start",
  "id-changed": "The call's id changed",
  "id-collision": "The call's id is that of another call, so it was given one",
  "index-reused": "The key of one call was given to another",
  "index-drift": "A fragment under an unknown key was given to the only open call",
  "identity-guessed": "A fragment was given to the call by a guess",
  "orphan-fragment": "Text that belongs to no call was dropped",
  "late-fragment": "Text that came after the call was over was dropped",
  "repeated-call": "The call came again, and the repeat was dropped",
  "superseded-by-restart": "The response began anew, and the call was taken back",
  fallback: "Another model took over, and the call was taken back",
  cancelled: "The call was cancelled and taken back",
  "late-header": "The call's name came after its text",
  // names
  "name-fragmented": "The call's name came in pieces",
  "name-restated": "The call's name came again",
  "name-conflict": "Another name came for the call",
  "name-normalised": "The name was read without its prefix or number",
  "control-token-in-name": "A control token was cut from the name",
  // argument text
  "arguments-not-string": "The arguments came as an object",
  "placeholder-arguments": "A placeholder for the arguments was dropped",
  "null-arguments": "The arguments were null, which means none",
  "repeated-arguments": "The arguments came again, and the repeat was dropped",
  "cumulative-arguments": "Each fragment restates the text before it",
  "double-encoded": "The arguments were a JSON string and were unwrapped",
  "control-token-after-arguments": "Control tokens after the arguments were dropped",
  "final-disagrees": "The final text is not what was streamed",
  "suffix-recovered": "The end of the arguments came only with the final text",
  "lone-surrogate": "The arguments hold half a surrogate pair",
  "missing-close": "The call was not closed before the response was over",
  "snapshot-empty": "The final list is empty, and the calls stay",
});

function withRules(sentences: Sentences): Sentences {
  return { ...SENTENCES, ...sentences };
}

/** Reasons of what was kept out that are not the notice's code. */
const REASONS: Partial<Record<NoticeCode, string>> = {
  "placeholder-arguments": "placeholder",
  "control-token-after-arguments": "control-token",
};

/**
 * Says that text was kept out of a call.
 *
 * @param text The text; undefined where nothing of it is to be shown.
 * @param id The id under which it came, where it is not the call's.
 */
export function noticeDropped(
  speech: Speech,
  code: NoticeCode,
  call: NoticedCall,
  text: string | undefined,
  id: string = call.id || (call.wireId ?? ""),
): void {
  const dropped =
    text === undefined
      ? undefined
      : defined({
          reason: REASONS[code] ?? code,
          id: id || undefined,
          name: call.name || undefined,
          argumentsText: text,
        });
  speech.notice(code, call, undefined, dropped);
}
