// When a call starts, and under which id. Owns the start that waits for the rest of a name, the order of first sight and
// the making of ids.

import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import { idSeed, type IdSeed, makeId } from "./make-id.ts";
import { isSettledName } from "./names.ts";
import type { Speech } from "./speech.ts";

/** UTF-16 units of the frame that starts a call that go into its made id: enough to tell responses that began alike. */
const MAX_SALT = 1024;

/** The starts of one reader's calls. */
export class Starts {
  /** What tells this response from others, for made ids; undefined until something has come. */
  seed: IdSeed | undefined;
  readonly #speech: Speech;
  readonly #declared: ReadonlySet<string> | undefined;
  /** A named call whose start waits for more of the name, or for its first text. */
  #waiting: { readonly choice: ChoiceCalls; readonly call: CallRecord } | undefined;

  constructor(speech: Speech, declared: ReadonlySet<string> | undefined) {
    this.#speech = speech;
    this.#declared = declared;
  }

  /** The call's name is known, and may come in pieces: starts it when the name is a declared one, else lets it wait. */
  soon(choice: ChoiceCalls, call: CallRecord): void {
    if (call.started || call.name === "" || call.original !== undefined || call.over) return;
    this.flush(call);
    if (isSettledName(call.name, this.#declared)) this.start(choice, call);
    else this.#waiting = { choice, call };
  }

  /** Says the start that waits, if any: something else than this call is about to be spoken of. */
  flush(but?: CallRecord): void {
    const waiting = this.#waiting;
    if (waiting === undefined || waiting.call === but) return;
    this.#waiting = undefined;
    this.start(waiting.choice, waiting.call);
  }

  /** Forgets a start that waits: the call was taken back. */
  forget(call: CallRecord): void {
    if (this.#waiting?.call === call) this.#waiting = undefined;
  }

  /** Says the start, and what was read before it. Does nothing for a header that came again, or the second time. */
  start(choice: ChoiceCalls, call: CallRecord): void {
    if (call.started || call.over || call.original !== undefined) return;
    this.flush(call);
    this.forget(call);
    call.index = this.#speech.starts++;
    call.started = true;
    const { wireId } = call;
    const taken = wireId !== undefined && choice.isGiven(wireId, call);
    call.madeId = wireId === undefined || taken;
    call.id = wireId === undefined || taken ? this.#madeId(choice, call.index) : wireId;
    choice.givenIds.set(call.id, call);
    if (taken)
      this.#speech.notice(
        "id-collision",
        "The id names another call of the response already; this one got an id of its own.",
        call,
      );
    else if (call.madeId) this.#speech.notice("id-missing", "The wire gave the call no id; one was made.", call);
    this.#speech.say({
      type: "call.start",
      call: call.identity,
      ...(call.echo === undefined ? {} : { echo: call.echo }),
      at: this.#speech.at,
    });
    const { ahead } = call;
    call.ahead = "";
    if (ahead !== "") this.#speech.say({ type: "call.append", call: call.identity, text: ahead, at: this.#speech.at });
  }

  /** An id that nothing in the response has: the next try is as fixed as the first one. */
  #madeId(choice: ChoiceCalls, ordinal: number): string {
    const seed = (this.seed ??= idSeed(""));
    for (let attempt = 0; ; attempt++) {
      const id = makeId(seed, ordinal, attempt, this.#speech.frame.data.slice(0, MAX_SALT));
      if (!choice.givenIds.has(id) && !choice.byId.has(id)) return id;
    }
  }
}
