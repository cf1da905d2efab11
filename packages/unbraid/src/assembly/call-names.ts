// What a mention's name does to a call. Owns the taking of names and its notices; the spelling rules are names.ts.

import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import { cutName } from "./control-tokens.ts";
import { joinName, readName } from "./names.ts";
import type { Speech } from "./speech.ts";

/** Longest name that is read, in UTF-16 units: vendors allow 64 to 128. */
const MAX_NAME = 1024;

/** The name in a mention. A piece that is only a leaked token is no name, and what follows it without arguments between is what leaked too. */
export function nameIn(
  choice: ChoiceCalls,
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  const call =
    id === undefined ? (index === undefined ? choice.newest : choice.byIndex.get(index)) : choice.byId.get(id);
  if (call?.leaking === true && call.args.blank) return undefined;
  if (cutName(name) !== "") return name;
  if (call !== undefined) call.leaking = true;
  return undefined;
}

/** Takes a mention of a call's name. */
export function takeName(
  speech: Speech,
  declared: ReadonlySet<string> | undefined,
  call: CallRecord,
  piece: string,
): void {
  if (call.rawName.length > MAX_NAME) {
    return speech.notice("name-conflict", `A name longer than ${MAX_NAME} characters was not read further.`, call);
  }
  if (call.rawName === "") {
    call.rawName = piece.slice(0, MAX_NAME + 1);
  } else if (!call.started) {
    const joined = joinName(call.rawName, piece, declared);
    call.rawName = joined.name;
    speech.notice(joined.code, "The call's name came more than once or in pieces.", call);
  } else if (piece !== call.rawName) {
    if (!piece.startsWith(call.rawName))
      return speech.notice(
        "name-conflict",
        "Another name came for the call after its arguments had begun; the first one stays.",
        call,
      );
    call.rawName = piece;
    speech.notice("name-fragmented", "The call's name grew after its arguments had begun.", call);
  } else {
    return speech.notice("name-restated", "The call's name came again with its fragments.", call);
  }
  // What follows a control token in further pieces belongs to the token.
  if (/<[|｜]/.test(call.rawName)) call.leaking = true;
  const read = readName(call.rawName, declared);
  call.name = read.name;
  if (read.code !== undefined)
    speech.notice(read.code, `The name "${call.rawName.slice(0, 80)}" on the wire was read as "${read.name}".`, call);
}
