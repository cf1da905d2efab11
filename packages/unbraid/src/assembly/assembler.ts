// What a protocol says of its calls, in the words that every wire has. What they do to the calls is call-table.ts,
// whole-calls.ts and final-list.ts.

import type { RetractReason, StreamEvent } from "../events.ts";
import { CallTable } from "./call-table.ts";
import { type DeclaredTool, declaredTools } from "./declared-tools.ts";
import { list } from "./final-list.ts";
import type { Limits } from "./limits.ts";
import { ResponseAssembler } from "./response-assembler.ts";
import { RULE_SENTENCES } from "./rule-notices.ts";
import type { CallDelta, Sink } from "./sink.ts";
import { Speech } from "./speech.ts";
import { whole } from "./whole-calls.ts";

/** See the file's head. */
export class Assembler extends ResponseAssembler<CallTable> implements Sink {
  /**
   * @param say Takes the events, in order.
   * @param limits All limits.
   * @param tools The tools that the request declared, where they are known.
   * @param speech What speaks, where several lanes of one reader share it.
   */
  constructor(
    say: (event: StreamEvent) => void,
    limits: Limits,
    tools: readonly DeclaredTool[] | undefined,
    speech: Speech = new Speech(say, RULE_SENTENCES),
  ) {
    super(speech, new CallTable(speech, limits, declaredTools(tools)));
  }

  override seed(frame: { readonly data: string }): void {
    this.calls.direct = undefined;
    super.seed(frame);
  }

  protected override flush(): void {
    this.calls.starts.flush();
  }

  get midCall(): boolean {
    for (const choice of this.calls.choices()) {
      if (choice.calls.some((call) => call.unfinished && !call.args.blank)) return true;
    }
    return false;
  }

  delta(delta: CallDelta): void {
    if (this.over) return;
    this.noteLate();
    this.calls.mention(delta);
    this.checkLimits();
  }

  whole(delta: CallDelta): void {
    this.word(() => {
      this.noteLate();
      whole(this.calls, delta);
    });
  }

  list(items: readonly CallDelta[]): void {
    this.word(() => list(this.calls, items));
  }

  retract(reason: RetractReason): void {
    if (this.stopped || this.over) return;
    for (const { calls } of this.calls.choices()) for (const call of calls) this.calls.retract(call, reason);
    // What takes the place of the response says its own name.
    if (reason === "superseded-by-restart") this.calls.response = undefined;
  }

  /** Does what a word of a protocol asks for, unless the response is over; ends it where that passed a limit. */
  word(act: () => void): void {
    if (this.over) return;
    act();
    this.checkLimits();
  }

  /** Ends the response where a limit was passed. */
  protected checkLimits(): void {
    const { passed } = this.calls;
    if (passed !== undefined && !this.over) this.stopAt(passed);
  }
}
