// What a protocol says of its calls, on a wire that must keep its rules. The rules are calls.ts.

import { type DeclaredTool, declaredTools } from "../assembly/declared-tools.ts";
import type { Limits } from "../assembly/limits.ts";
import { ResponseAssembler } from "../assembly/response-assembler.ts";
import type { CallDelta, CallKey, KeyedSink } from "../assembly/sink.ts";
import { Speech } from "../assembly/speech.ts";
import type { FinishReason, RetractReason, StreamEvent } from "../events.ts";
import { StrictCalls } from "./calls.ts";

/** See the file's head. */
export class StrictAssembler extends ResponseAssembler<StrictCalls> implements KeyedSink {
  /** Whether anything but notices has been said. */
  readonly #said: { readonly any: boolean };

  /**
   * @param say Takes the events, in order.
   * @param limits All limits.
   * @param tools The tools that the request declared, where they are known.
   */
  constructor(say: (event: StreamEvent) => void, limits: Limits, tools: readonly DeclaredTool[] | undefined) {
    const said = { any: false };
    const speech = new Speech((event) => {
      said.any ||= event.type !== "notice";
      say(event);
    });
    super(speech, new StrictCalls(speech, limits, declaredTools(tools)));
    this.calls.host = this;
    this.#said = said;
  }

  get midCall(): boolean {
    return this.calls.midCall;
  }

  delta(delta: CallDelta): void {
    if (this.over) return;
    this.noteLate();
    this.calls.mention(delta);
  }

  whole(delta: CallDelta): void {
    if (this.over) return;
    this.noteLate();
    this.calls.whole(delta);
  }

  list(items: readonly CallDelta[]): void {
    if (!this.over) this.calls.list(items);
  }

  open(delta: CallDelta): void {
    if (!this.over) this.calls.open(delta, true);
  }

  append(key: CallKey, text: unknown): void {
    if (!this.over) this.calls.append(key, text);
  }

  final(delta: CallDelta, unsure?: boolean): void {
    if (!this.over) this.calls.final(delta, unsure);
  }

  close(delta: CallDelta, cut?: boolean): void {
    if (!this.over) this.calls.close(delta, cut);
  }

  knows(key: CallKey): boolean {
    return this.calls.lookUp(key)?.over === false;
  }

  retract(reason: RetractReason): void {
    if (this.over) return;
    if (reason === "fallback") this.calls.retract(reason);
    else this.refuse("another beginning of the response, or a call that is taken back");
  }

  override end(reason?: FinishReason | null): void {
    if (!this.#said.any) this.refuse("an end before any frame of it");
    super.end(reason);
  }

  override endOfBody(): void {
    // A vendor may send frames that nobody knows, but not only these.
    if (this.at.end !== 0 && !this.#said.any && !this.calls.lost) this.refuse("not one frame of it");
    super.endOfBody();
  }

  /** The wire has broken a rule, in plain words: the reading ends. */
  refuse(what: string): void {
    if (!this.over) this.calls.refuse(what);
  }
}
