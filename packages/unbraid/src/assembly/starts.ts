// When a call starts, and under which id. Owns the start that waits for the rest of a name, the order of first sight and
// the making of ids.

import type { CallRecord } from "./call-record.ts";
import type { Declared } from "./identity.ts";
import { freeId } from "./make-id.ts";
import { isSettledName } from "./names.ts";
import type { Speech } from "./speech.ts";

/** The starts of one reader's calls. */
export class Starts {
  readonly #speech: Speech;
  readonly #declared: Declared;
  /** A named call whose start waits for more of the name, or for its first text. */
  #waiting: CallRecord | undefined;

  constructor(speech: Speech, declared: Declared) {
    this.#speech = speech;
    this.#declared = declared;
  }

  /** The call's name is known, and may come in pieces: starts it when the name is a declared one, else lets it wait. */
  soon(call: CallRecord): void {
    if (call.started || call.name === "" || call.original !== undefined || call.over) return;
    this.flush(call);
    if (isSettledName(call.name, this.#declared)) this.start(call);
    else this.#waiting = call;
  }

  /** Says the start that waits, if any: something else than this call is about to be spoken of. */
  flush(but?: CallRecord): void {
    const waiting = this.#waiting;
    if (waiting === undefined || waiting === but) return;
    this.#waiting = undefined;
    this.start(waiting);
  }

  /** Says the start, and what was read before it. Does nothing for a header that came again, or the second time. */
  start(call: CallRecord): void {
    if (call.started || call.over || call.original !== undefined) return;
    this.flush(call);
    this.#waiting = undefined;
    const { choice, wireId, ahead, echo } = call;
    call.index = this.#speech.starts++;
    call.started = true;
    call.madeId = wireId === undefined || choice.isGiven(wireId, call);
    call.id = wireId === undefined || call.madeId ? this.#madeId(call) : wireId;
    choice.givenIds.set(call.id, call);
    if (call.madeId) this.#speech.notice(wireId === undefined ? "id-missing" : "id-collision", call);
    this.#speech.tell({ type: "call.start", call: call.identity, echo });
    call.ahead = "";
    if (ahead !== "") this.#speech.tell({ type: "call.append", call: call.identity, text: ahead });
  }

  #madeId({ choice, index }: CallRecord): string {
    return freeId(this.#speech, index, (id) => choice.givenIds.has(id) || choice.byId.has(id));
  }
}
