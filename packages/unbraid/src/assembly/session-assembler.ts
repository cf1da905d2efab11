// The assembler of wires that carry several responses, one after another or side by side. Owns the lanes: an assembler for
// each, all of which speak for one reader.

import type { CallIdentity, RetractReason, StreamEvent } from "../events.ts";
import { isClientKind } from "../kinds.ts";
import type { CallRecord } from "./call-record.ts";
import type { DeclaredTool } from "./declared-tools.ts";
import { KeyedAssembler } from "./keyed-assembler.ts";
import type { Limits } from "./limits.ts";
import type { ResponseAssembler } from "./response-assembler.ts";
import type { CallKey, SessionSink } from "./sink.ts";
import type { Speech } from "./speech.ts";
import { present } from "../wire-values.ts";

/** Responses that may be open side by side on one socket. */
const MAX_LANES = 256;

/** Calls of earlier responses that are remembered: as many as a vendor could mean, and little to keep. */
const MAX_EARLIER = 256;

/** See the file's head. */
export class SessionAssembler extends KeyedAssembler implements SessionSink {
  /** The lane that this one serves: the first that was asked for. `#others` serve the others. */
  #lane: string | undefined;
  readonly #others: Map<string, SessionAssembler> = new Map();
  /** The assembler among whose `#others` this one is. */
  #root: SessionAssembler | undefined;
  /** Calls of the responses before this one, by id: the vendor may still take one back. */
  readonly #earlier: Map<string | undefined, CallRecord> = new Map();
  readonly #make: () => SessionAssembler;

  /** See `Assembler`. */
  constructor(
    say: (event: StreamEvent) => void,
    limits: Limits,
    tools: readonly DeclaredTool[] | undefined,
    speech?: Speech,
  ) {
    super(say, limits, tools, speech);
    this.#make = () => new SessionAssembler(say, limits, tools, this.speech);
  }

  override given(): { readonly call: CallIdentity; readonly text: string }[] {
    return [...super.given(), ...[...this.#others.values()].flatMap((other) => other.given())];
  }

  override get stopped(): boolean {
    return this.#root?.stopped ?? super.stopped;
  }

  override get anyOpen(): boolean {
    return super.anyOpen || [...this.#others.values()].some((other) => !other.over);
  }

  lane(name: unknown): SessionAssembler {
    const lane = present(name) ?? "";
    this.#speakOf(lane);
    this.#lane ??= lane;
    if (lane === this.#lane || this.stopped) return this;
    let other = this.#others.get(lane);
    if (other === undefined) {
      if (this.#others.size >= MAX_LANES && !this.#forgetLanes()) return this;
      other = this.#make();
      other.#root = this;
      this.#others.set(lane, other);
    }
    return other;
  }

  /** Makes room for another lane: those whose response is over are forgotten. False: too many are open. */
  #forgetLanes(): boolean {
    for (const [name, other] of this.#others) if (other.over) this.#others.delete(name);
    if (this.#others.size < MAX_LANES) return true;
    this.stopAt(`More responses are open side by side than ${MAX_LANES}.`);
    return false;
  }

  protected override forAll(act: (assembler: ResponseAssembler) => void): void {
    for (const [lane, other] of this.#others) {
      if (other.over) continue;
      this.#speakOf(lane);
      act(other);
    }
    this.#speakOf(this.#lane ?? "");
    act(this);
  }

  /** What is said from now on in this frame is of this lane. */
  #speakOf(name: string): void {
    const { lane = "", ...at } = this.at;
    if (lane !== name) this.at = name === "" ? at : { ...at, lane: name };
  }

  override stop(code: string | number, message: string): void {
    if (this.#root === undefined) super.stop(code, message);
    else this.#root.stop(code, message);
  }

  begin(): void {
    if (!this.over || this.stopped) return;
    for (const { calls } of this.calls.choices())
      for (const call of calls) if (isClientKind(call.kind)) this.#earlier.set(call.id, call);
    for (const id of this.#earlier.keys()) {
      if (this.#earlier.size <= MAX_EARLIER) break;
      this.#earlier.delete(id);
    }
    this.restart();
  }

  override retract(reason: RetractReason, which?: CallKey): void {
    if (which === undefined) return super.retract(reason);
    if (this.stopped) return;
    const id = present(which.id);
    const known = this.calls.find(which);
    const call = known ?? this.#earlier.get(id);
    if (known === undefined) this.#earlier.delete(id);
    if (call !== undefined) this.calls.retract(call, reason);
  }

  answered(id: unknown): void {
    const quoted = present(id);
    if (quoted !== undefined) this.speech.tell({ type: "call.answered", id: quoted });
  }
}
