// Fragments that were not parsed, on their way from the fast path to the calls. Owns which of them may be taken together: those
// of a call for which nothing but the grammar has a say in what comes next.

import type { Assembler } from "../assembly/assembler.ts";
import type { CallRecord } from "../assembly/call-record.ts";
import type { ResponseAssembler } from "../assembly/response-assembler.ts";
import type { CallIdentity, StreamEvent, WirePosition } from "../events.ts";
import { FastPath, type FragmentTaker } from "../fast-path.ts";
import type { Skim } from "../framing/skimmed-sse.ts";

/** What the fast path needs of its reader. */
export interface FragmentHost {
  readonly assembler: ResponseAssembler;
  readonly fragment: FragmentTaker["one"];
  position(frame: number, start: number, end: number): WirePosition;
  say(event: StreamEvent): void;
}

/**
 * Makes the fast path of a reader; goes into `ReaderOptions.fastPath`. What it takes, and what it gives beyond a `Skim`, is the
 * reader's own affair.
 */
export type FastPathPart = (host: object) => Skim;

/**
 * The fast path of a reader that was made by the entry of one wire: a frame that differs from the one before it only in its
 * fragment is not parsed; the events are the same. The readers of the main entry have it by themselves. For OpenAI Chat
 * Completions, OpenAI Responses and Anthropic; of no use to the other wires.
 *
 * @example
 * import { fastPath } from "unbraid/parts";
 * import { openaiChat } from "unbraid/protocols/openai-chat";
 *
 * const reader = openaiChat.reader({ fastPath });
 */
export function fastPath(host: object): Skim {
  // The reader gives itself.
  return new FastPath(takerOf(host as FragmentHost));
}

function takerOf(host: FragmentHost): FragmentTaker {
  // The readers that take a fast path have this one.
  const assembler = host.assembler as Assembler;
  const { calls } = assembler;
  let running: CallIdentity | undefined;
  return {
    one: host.fragment,
    get runs() {
      return !assembler.over && assembler.at.lane === undefined && isPlain(calls.direct);
    },
    readAhead(text, start, end) {
      const call = calls.direct;
      if (call === undefined || !calls.hasRoom(call, end - start)) return false;
      const { plain, scanner } = call.args;
      if (plain || (scanner.feed(text, start, end) && scanner.state === "open")) return true;
      scanner.undo();
      return false;
    },
    unread() {
      if (calls.direct?.args.plain === false) calls.direct.args.scanner.undo();
    },
    takeAhead(text) {
      calls.direct?.args.takeRead(text);
      running = calls.direct?.identity;
    },
    more(text, frame, start, end) {
      const at = host.position(frame, start, end);
      assembler.at = at;
      if (text !== "" && running !== undefined) host.say({ type: "call.append", call: running, text, at });
    },
    textOf: (item) => calls.choice(0).byItem.get(item)?.args.held,
  };
}

/** Whether nothing but the grammar has a say in what comes next for a call. */
function isPlain(call: CallRecord | undefined): boolean {
  return (
    call?.started === true &&
    !call.over &&
    call.original === undefined &&
    call.initial === undefined &&
    call.args.plainlyOpen
  );
}
