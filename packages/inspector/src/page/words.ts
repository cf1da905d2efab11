// Words for numbers, events and endings. Owns the page's way of saying them.

import type { NoticeEvent, StreamEvent } from "unbraid";
import type { ParseWord } from "../analysis/parse-state.ts";
import type { Lane } from "../model/lane.ts";
import type { Summary } from "../model/summary.ts";

/** A number of bytes: `312 B`, `4.2 kB`, `1.3 MB`. */
export function bytesWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 call`, `2 calls`. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

/** How many notices a line tells of. */
export function noticeCount(summary: Summary): number {
  return Object.values(summary.notices).reduce((sum, count) => sum + count, 0);
}

/** What an event did, in a word or two. */
export function eventWord(event: StreamEvent): string {
  switch (event.type) {
    case "call.start":
      return "starts";
    case "call.append":
      return "adds";
    case "call.replace":
      return "replaces all by";
    case "call.close":
      return `closes: ${event.call.status}`;
    case "call.retract":
      return `taken back: ${event.reason}`;
    case "call.answered":
      return `answered: ${event.id}`;
    case "text":
      return event.refusal === true ? "refusal" : "text";
    case "reasoning":
      return "reasoning";
    case "part":
      return "a part to be echoed";
    case "usage":
      return `usage: ${event.inputTokens ?? "–"} in, ${event.outputTokens ?? "–"} out`;
    case "finish":
      return event.reason === null ? "ends without a finish" : `finish: ${event.reason}`;
    case "error":
      return `error: ${String(event.error.code ?? "")}`;
    case "notice":
      return event.code;
    default:
      return event.type;
  }
}

/** The text that an event carries; undefined where it has none. */
export function eventText(event: StreamEvent): string | undefined {
  switch (event.type) {
    case "call.append":
    case "call.replace":
    case "text":
    case "reasoning":
      return event.text;
    case "notice":
      return event.message;
    case "error":
      return event.error.message;
    case "call.close":
      return event.call.problem?.message;
    case "response":
      return [event.model, event.id].filter((each) => each !== undefined).join(" · ");
    case "call.retract":
      return event.argumentsText;
    case "part":
      return JSON.stringify(event.part).slice(0, 2000);
    default:
      return undefined;
  }
}

/** The name of a lane. */
export function laneName({ kind, call, number }: Lane): string {
  if (kind === "call") return call?.name === undefined || call.name === "" ? "(no name)" : call.name;
  return number === 0 ? kind : `${kind} of choice ${number}`;
}

/** Whether a text parses, in words. */
export const PARSE_WORDS: Readonly<Record<ParseWord, string>> = {
  fails: "not JSON yet",
  parses: "parses",
  broken: "broken: can no longer be JSON",
  text: "free text",
};

/** What was kept out, in words; undefined where nothing was. */
export function droppedWords({ dropped }: NoticeEvent): string | undefined {
  if (dropped === undefined) return undefined;
  const name = dropped.name === undefined || dropped.name === "" ? "a call" : dropped.name;
  return `kept out: ${name}${dropped.argumentsText === undefined ? "" : ` ${dropped.argumentsText}`}`;
}
