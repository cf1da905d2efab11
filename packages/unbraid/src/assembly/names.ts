// A tool's name as it comes: in pieces, restated, grown, with leaked tokens, with the prefixes of Kimi's ids. Owns the
// spelling rules, and what a mention's name does to a call.

import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import { cutName } from "./control-tokens.ts";
import type { Declared, Mention } from "./identity.ts";
import type { NoticeCode } from "../events.ts";
import type { Speech } from "./speech.ts";

/** Longest name that is read, in UTF-16 units: vendors allow 64 to 128. */
export const MAX_NAME = 1024;

/**
 * Joins a name with another mention of it, before the call has started.
 *
 * @param held What is held, not empty.
 * @param piece What came.
 * @param declared Names of the declared tools, where they are known.
 * @returns The name to hold, and the notice that is due.
 * @example
 * joinName("get_wea", "ther", undefined); // { name: "get_weather", code: "name-fragmented" }
 * joinName("read_file", "read_file", undefined); // { name: "read_file", code: "name-restated" }
 */
export function joinName(held: string, piece: string, declared: Declared): { name: string; code: NoticeCode } {
  if (piece === held) return { name: held, code: "name-restated" };
  const joined = held + piece;
  // llama.cpp sends the full name again when a longer parse changes it: it grows, it is not a piece.
  if (piece.startsWith(held) && declared?.has(joined) !== true) return { name: piece, code: "name-fragmented" };
  if (declared?.has(piece) === true && !declared.has(joined)) return { name: piece, code: "name-conflict" };
  return { name: joined, code: "name-fragmented" };
}

/**
 * The name to give out for a name on the wire.
 *
 * @param raw The name as the wire spelled it.
 * @param declared Names of the declared tools, where they are known.
 * @returns The name, and the notice that is due if it is not the raw one.
 * @example
 * readName("functions.get_weather:0", new Set(["get_weather"])); // { name: "get_weather", code: "name-normalised" }
 */
export function readName(raw: string, declared: Declared): { name: string; code?: NoticeCode } {
  const cut = cutName(raw);
  const name = bareName(cut, declared);
  if (name !== cut) return { name, code: "name-normalised" };
  return cut === raw ? { name } : { name, code: "control-token-in-name" };
}

/** `functions.NAME:N`, `functions_NAME_N` and `NAME:N` stand for NAME only where it is declared and they are not. */
function bareName(name: string, declared: Declared): string {
  if (declared === undefined || declared.has(name)) return name;
  const bare = name.replace(/^(?:functions|default_api|tools?)[._:]/, "");
  if (declared.has(bare)) return bare;
  const counted = bare.replace(/[:_]\d+$/, "");
  return declared.has(counted) ? counted : name;
}

/** Whether a name can be given out at once: it is declared, and no other declared name begins with it. */
export function isSettledName(name: string, declared: Declared): boolean {
  return (
    declared?.has(name) === true && ![...declared.keys()].some((other) => other !== name && other.startsWith(name))
  );
}

/**
 * A mention without what is no name. A piece that is only a leaked token is none, and what follows it without arguments
 * between is what leaked too.
 */
export function withoutLeak(choice: ChoiceCalls, mention: Mention): Mention {
  const { index, id, name } = mention;
  if (name === undefined) return mention;
  const call = id !== undefined ? choice.byId.get(id) : index === undefined ? choice.newest : choice.byIndex.get(index);
  const leaks = cutName(name) === "";
  if (leaks && call !== undefined) call.leaking = true;
  return leaks || (call?.leaking === true && call.args.blank) ? { ...mention, name: undefined } : mention;
}

/** Takes a mention of a call's name. */
export function takeName(speech: Speech, declared: Declared, call: CallRecord, piece: string): void {
  const held = call.rawName;
  if (held.length > MAX_NAME) return speech.notice("name-conflict", call);
  if (held === "") {
    call.rawName = piece.slice(0, MAX_NAME + 1);
  } else {
    // Behind the start a name may only grow.
    if (call.started && !piece.startsWith(held)) return speech.notice("name-conflict", call);
    const joined = joinName(held, piece, call.started ? undefined : declared);
    speech.notice(joined.code, call);
    call.rawName = joined.name;
  }
  // What follows a control token in further pieces belongs to the token.
  if (/<[|｜]/.test(call.rawName)) call.leaking = true;
  const { name, code } = readName(call.rawName, declared);
  call.name = name;
  if (code !== undefined) speech.notice(code, call, name);
}
