// What a protocol says of its calls, on a wire that must keep its rules. Owns the end of the reading where it does not; the
// rules are calls.ts.

import { type DeclaredTool, declaredTools } from "../assembly/declared-tools.ts";
import type { Limits } from "../assembly/limits.ts";
import { ResponseAssembler } from "../assembly/response-assembler.ts";
import type { CallDelta, CallKey, KeyedSink } from "../assembly/sink.ts";
import { Speech } from "../assembly/speech.ts";
import type { RetractReason, StreamEvent } from "../events.ts";
import { StrictCalls } from "./calls.ts";

/** See the file's head. */
export class StrictAssembler extends ResponseAssembler<StrictCalls> implements KeyedSink {
  /**
   * @param say Takes the events, in order.
   * @param limits All limits.
   * @param tools The tools that the request declared, where they are known.
   */
  constructor(say: (event: StreamEvent) => void, limits: Limits, tools: readonly DeclaredTool[] | undefined) {
    const speech = new Speech(say);
    super(speech, new StrictCalls(speech, limits, declaredTools(tools)));
  }

  get midCall(): boolean {
    return this.calls.midCall;
  }

  delta(delta: CallDelta): void {
    this.noteLate();
    this.word(() => this.calls.mention(delta));
  }

  whole(delta: CallDelta): void {
    this.noteLate();
    this.word(() => this.calls.whole(delta));
  }

  list(items: readonly CallDelta[]): void {
    this.word(() => this.calls.list(items));
  }

  open(delta: CallDelta): void {
    this.word(() => this.calls.openKeyed(delta));
  }

  append(key: CallKey, text: unknown): void {
    this.word(() => this.calls.append(key, text));
  }

  final(delta: CallDelta, unsure?: boolean): void {
    this.word(() => this.calls.final(delta, unsure));
  }

  close(delta: CallDelta, cut?: boolean): void {
    this.word(() => this.calls.close(delta, cut));
  }

  knows(key: CallKey): boolean {
    let known = false;
    this.word(() => (known = this.calls.find(key)?.over === false));
    return known;
  }

  retract(reason: RetractReason): void {
    if (reason === "fallback") this.word(() => this.calls.retract(reason));
    else this.break("the response began anew, or took a call back");
  }

  /** The wire has broken a rule: the reading ends. */
  break(what: string): void {
    this.word(() => this.calls.break(what));
  }

  protected override checkLimits(): void {
    const { broken } = this.calls;
    if (broken === undefined || this.over) super.checkLimits();
    else this.stop("irregular", irregular(broken));
  }
}

/** The words for a wire that has broken a rule. */
export function irregular(what: string): string {
  return `The stream does not keep the rules of its wire: ${what}. A strict reader guesses nothing; what was read is kept.`;
}
