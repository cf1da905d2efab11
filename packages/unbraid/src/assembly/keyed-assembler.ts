// The assembler of wires with sound keys. Owns the words that only these have; what they do is keyed-calls.ts.

import { Assembler } from "./assembler.ts";
import { append, close, final, open } from "./keyed-calls.ts";
import type { CallDelta, CallKey, KeyedSink } from "./sink.ts";

/** See the file's head. */
export class KeyedAssembler extends Assembler implements KeyedSink {
  open(delta: CallDelta): void {
    this.word(() => open(this.calls, delta));
  }

  append(key: CallKey, text: unknown, headerMayFollow?: boolean): void {
    // The hot path: no closure.
    if (this.over) return;
    append(this.calls, key, text, headerMayFollow);
    this.checkLimits();
  }

  final(delta: CallDelta, unsure?: boolean): void {
    this.word(() => final(this.calls, delta, unsure));
  }

  close(delta: CallDelta, cut?: boolean): void {
    this.word(() => close(this.calls, delta, cut));
  }

  knows(key: CallKey): boolean {
    return this.calls.find(key)?.over === false;
  }
}
