// What must hold of the events of any body, sound or broken. Owns the list of invariants; knows no wire.

import type { NoticeCode, StreamEvent, ToolCall } from "./events.ts";

/** Notices that say that a text, a name or an identity was repaired or guessed. None of them fires on a sound stream. */
export const REPAIRS: ReadonlySet<NoticeCode> = new Set<NoticeCode>([
  "id-changed",
  "id-collision",
  "index-drift",
  "identity-guessed",
  "orphan-fragment",
  "late-fragment",
  "repeated-call",
  "late-header",
  "name-fragmented",
  "name-restated",
  "name-conflict",
  "name-normalised",
  "control-token-in-name",
  "placeholder-arguments",
  "repeated-arguments",
  "cumulative-arguments",
  "double-encoded",
  "control-token-after-arguments",
  "final-disagrees",
  "suffix-recovered",
]);

/** What was said of one call so far. */
interface Seen {
  readonly index: number;
  readonly kind: string;
  readonly choice: number;
  text: string;
  closed: ToolCall | undefined;
  retracted: boolean;
}

/**
 * The invariants that a list of events breaks, in plain words; empty when all hold.
 *
 * @param events Everything that one reader said, from its first push to its end.
 * @param length Bytes of the body; undefined where objects were read.
 * @param session True where the wire may carry several responses: events follow a finish, and ids come again.
 */
export function brokenInvariants(
  events: readonly StreamEvent[],
  length: number | undefined,
  session = false,
): string[] {
  const broken: string[] = [];
  const calls = new Map<string, Seen>();
  let starts = 0;
  let finishes = 0;
  let frame = 0;
  let offset = 0;
  const say = (at: number, what: string): void => {
    if (broken.length < 10) broken.push(`event ${at} (${events[at]?.type ?? "end"}): ${what}`);
  };

  for (const [at, event] of events.entries()) {
    if (finishes > 0 && !session) say(at, "comes after the finish");
    if (JSON.stringify(JSON.parse(JSON.stringify(event))) !== JSON.stringify(event)) say(at, "is no plain data");
    if (hasUndefined(event)) say(at, "holds a field that is undefined");

    const { at: position } = event;
    if (position.frame < frame) say(at, `frame ${position.frame} after frame ${frame}`);
    frame = position.frame;
    if (length !== undefined) {
      // Ends, not starts: a stray line may lie inside the event around it, and is told before it.
      if (position.end < offset) say(at, `ends at ${position.end}, after one that ended at ${offset}`);
      if (position.end < position.start) say(at, `ends at ${position.end}, before its start ${position.start}`);
      if (position.end > length) say(at, `ends at ${position.end}, behind the body's ${length} bytes`);
      offset = position.end;
    } else if (position.start !== -1 || position.end !== -1) say(at, "an object has no byte offset");

    switch (event.type) {
      case "call.start": {
        const { call } = event;
        if (calls.has(call.key)) say(at, `key ${call.key} was used before`);
        if (call.index !== starts) say(at, `index ${call.index}, though ${starts} calls were started before`);
        starts++;
        if (call.id === "") say(at, "the id is empty");
        calls.set(call.key, { ...call, text: "", closed: undefined, retracted: false });
        break;
      }
      case "call.append":
      case "call.replace":
      case "call.close":
      case "call.retract": {
        const { call } = event;
        const seen = calls.get(call.key);
        if (seen === undefined) {
          say(at, `call ${call.key} was never started`);
          break;
        }
        if (seen.index !== call.index || seen.kind !== call.kind || seen.choice !== call.choice)
          say(at, "index, kind or choice changed");
        if (seen.retracted) say(at, `call ${call.key} was taken back before`);
        if (seen.closed !== undefined && event.type !== "call.retract") say(at, `call ${call.key} was closed before`);
        if (event.type === "call.append") {
          if (event.text === "") say(at, "appends nothing");
          seen.text += event.text;
        } else if (event.type === "call.replace") {
          seen.text = event.text;
        } else if (event.type === "call.close") {
          if (seen.text !== event.call.argumentsText) {
            say(at, `closed with ${excerpt(event.call.argumentsText)}, but ${excerpt(seen.text)} was given out`);
          }
          for (const fault of closedFaults(event.call)) say(at, fault);
          seen.closed = event.call;
        } else {
          if (seen.closed !== undefined && event.argumentsText !== seen.closed.argumentsText)
            say(at, "is taken back with another text");
          seen.retracted = true;
        }
        break;
      }
      case "finish":
        finishes++;
        break;
      default:
    }
  }

  if (session ? finishes === 0 : finishes !== 1) say(events.length, `${finishes} finish events`);
  const ids = new Set<string>();
  for (const [key, seen] of calls) {
    if (seen.closed === undefined && !seen.retracted) say(events.length, `call ${key} was never closed`);
    if (seen.closed === undefined || seen.retracted) continue;
    const id = `${seen.choice} ${seen.closed.id}`;
    if (ids.has(id) && !session) say(events.length, `id ${seen.closed.id} is given twice in choice ${seen.choice}`);
    ids.add(id);
  }
  return broken;
}

function closedFaults(call: ToolCall): string[] {
  const faults: string[] = [];
  const json = call.status === "complete" && call.arguments !== null;
  if (call.status === "complete" && call.problem !== undefined) faults.push("a complete call has a problem");
  if (call.status !== "complete" && call.problem === undefined) faults.push(`a ${call.status} call says no problem`);
  if (call.status !== "complete" && call.arguments !== null) faults.push(`a ${call.status} call has arguments`);
  if (call.status !== "malformed" && call.repair !== undefined)
    faults.push(`a repair is offered for a ${call.status} call`);
  if (call.kind === "function" && call.status === "complete") {
    if (call.arguments === null || typeof call.arguments !== "object" || Array.isArray(call.arguments))
      faults.push("complete without an object");
    if (call.name === "") faults.push("complete without a name");
  }
  if (json && JSON.stringify(call.arguments) !== JSON.stringify(JSON.parse(call.argumentsText)))
    faults.push("arguments are not those of the text");
  if (
    call.repair !== undefined &&
    JSON.stringify(JSON.parse(call.repair.argumentsText)) !== JSON.stringify(call.repair.arguments)
  ) {
    faults.push("the repair's arguments are not those of its text");
  }
  const { problem } = call;
  if (problem?.offset !== undefined && (problem.offset < 0 || problem.offset > call.argumentsText.length))
    faults.push("the problem's offset lies outside the text");
  return faults;
}

/** JSON would drop such a field: the event would not survive it. */
function hasUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.values(value).some(hasUndefined);
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
