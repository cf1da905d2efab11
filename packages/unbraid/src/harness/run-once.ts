// One call, run at most once over all workers: claim, run, record. Owns that order, and what is done when another worker
// has the call, when a claim is lost, and when the run is stopped.

import type { CallRepair, ToolCall } from "../events.ts";
import type { Correction, Corrections } from "./corrections.ts";
import { correctiveResult, repairedNote } from "./corrective.ts";
import { argumentsHash } from "./arguments-hash.ts";
import { askFor, type Approve, needsApproval, type Verdict } from "./approval.ts";
import type { DispatchResult, ToolEvent } from "./events.ts";
import type { Gate } from "./gate.ts";
import { holdClaim } from "./held-claim.ts";
import type { Claim, ClaimOutcome, ClaimRequest, Ledger, RecordedResult } from "./ledger.ts";
import { isLedgerError } from "./ledger-error.ts";
import { contentOf, type OutputLimits } from "./output.ts";
import type { RunDecision } from "./policy.ts";
import { runTool, type ToolRunEnd } from "./run-tool.ts";
import type { Tool } from "./tool.ts";
import { isToolError, messageOfThrown } from "./tool-error.ts";
import { type InOrder, pause } from "./waiting.ts";

/** What all calls of a turn share. */
export interface TurnSetting {
  readonly ledger: Ledger;
  readonly run: string;
  readonly turn: number;
  readonly worker: string;
  readonly leaseMs: number;
  readonly graceMs: number;
  readonly timeoutMs: number;
  readonly gate: Gate;
  /** Settles what is asked of it in the order of the asking. */
  readonly inOrder: InOrder;
  readonly approve: Approve | undefined;
  readonly corrections: Corrections;
  readonly output: OutputLimits;
  readonly now: () => number;
  readonly emit: (event: ToolEvent) => void;
}

/** One call to be run. */
export interface CallToRun {
  readonly decision: RunDecision & { readonly tool: Tool };
  /** Its response has not ended yet. */
  readonly early: boolean;
  /** Stops it, whatever it is at. */
  readonly signal: AbortSignal;
  /** Stops it where it waits; a tool that runs goes on. */
  readonly waiting: AbortSignal;
}

/** How soon a call that another worker has is asked for again, in milliseconds: doubled each time. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 2_000;

/**
 * Runs a call, or gives what it came to elsewhere.
 *
 * @returns The answer to the call.
 * @throws LedgerError (by rejecting) where the ledger failed, and the reason of `waiting`.
 */
export async function runOnce(setting: TurnSetting, job: CallToRun): Promise<DispatchResult> {
  return new OnceRun(setting, job).result();
}

/**
 * What became of a call that this worker would not run, where another may have: its tool may have been there then, or its
 * schema another.
 *
 * @returns The answer that stands in the ledger, or that nobody knows; undefined where the call was never begun.
 * @throws LedgerError (by rejecting) where the ledger failed, and the reason of a signal.
 */
export async function endBefore(
  setting: TurnSetting,
  call: ToolCall,
  { signal, waiting }: Pick<CallToRun, "signal" | "waiting">,
): Promise<DispatchResult | undefined> {
  try {
    const request = await requestFor(setting, { call, tool: { name: call.name }, repair: call.repair });
    return await knownEnd(setting, call, request, AbortSignal.any([signal, waiting]));
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    return correctiveResult({ reason: "aborted", call, started: false }, setting.corrections);
  }
}

/** What a claim is asked for with. */
interface Claimable {
  readonly call: ToolCall;
  readonly tool: Pick<Tool, "name" | "repeatable">;
  readonly repair?: CallRepair | undefined;
}

async function requestFor(setting: TurnSetting, { call, tool, repair }: Claimable): Promise<ClaimRequest> {
  const { run, turn, worker, leaseMs } = setting;
  const text = repair?.argumentsText ?? call.argumentsText;
  // Hashes are made in other threads, and come as they like; calls go to the gate in the order of the model.
  const hash = await setting.inOrder(argumentsHash(call.name, text, call.kind === "custom" ? "text" : "json"));
  const takeOver = tool.repeatable === true;
  return { key: { run, turn, call: call.key }, tool: tool.name, argumentsHash: hash, worker, leaseMs, takeOver };
}

/** A call's end, where it has one or will have one elsewhere; undefined where nobody has begun it. Holds no claim. */
async function knownEnd(
  { ledger, corrections }: TurnSetting,
  call: ToolCall,
  request: ClaimRequest,
  stop: AbortSignal,
): Promise<DispatchResult | undefined> {
  for (const waits = waitsBetween(); ; await spread(waits.next().value, stop)) {
    stop.throwIfAborted();
    const outcome = await ledger.claim(request);
    if (outcome.state === "claimed") {
      await ledger.release(outcome.claim);
      return undefined;
    }
    if (outcome.state !== "held") return endOf(outcome, call, corrections);
  }
}

/** An end that the ledger knows. */
function endOf(
  outcome: Exclude<ClaimOutcome, { readonly state: "claimed" | "held" }>,
  call: ToolCall,
  corrections: Corrections,
): DispatchResult {
  if (outcome.state === "recorded") return { ...answerWith(outcome.result, call), replayed: true };
  return correctiveResult({ reason: outcome.state === "unknown" ? "unknown-outcome" : "collision", call }, corrections);
}

function answerWith({ content, isError, reason }: RecordedResult, call: ToolCall): DispatchResult {
  return {
    call,
    content,
    ...(isError === undefined ? {} : { isError }),
    ...(reason === undefined ? {} : { reason: reason as NonNullable<DispatchResult["reason"]> }),
  };
}

/** Spread, so that workers that wait for one call do not all ask at once. */
async function spread(milliseconds: number, stop: AbortSignal): Promise<void> {
  await pause(milliseconds * (0.75 + Math.random() / 2), stop);
}

function* waitsBetween(): Generator<number, never> {
  for (let waitMs = FIRST_WAIT; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT)) yield waitMs;
}

/** A claimed call's end: kept, lost to another worker, or given back. */
type Settled = DispatchResult | "lost";

class OnceRun {
  readonly #setting: TurnSetting;
  readonly #job: CallToRun;
  readonly #stop: AbortSignal;
  #verdict: Verdict | undefined;
  #started = false;
  /** What our own run came to, where its claim was lost before that could be kept. */
  #unkept: DispatchResult | undefined;

  constructor(setting: TurnSetting, job: CallToRun) {
    this.#setting = setting;
    this.#job = job;
    this.#stop = AbortSignal.any([job.signal, job.waiting]);
  }

  async result(): Promise<DispatchResult> {
    const { decision, signal } = this.#job;
    try {
      const request = await requestFor(this.#setting, decision);
      if (await needsApproval(decision, this.#stop)) {
        // A person is not asked about a call that has its end, and no claim is held while a person thinks: a worker that
        // is lost meanwhile has not begun anything.
        const known = await knownEnd(this.#setting, decision.call, request, this.#stop);
        if (known !== undefined) return known;
        await this.#ask();
      }
      return await this.#untilSettled(request);
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      return this.#corrective({ reason: "aborted", call: decision.call, started: this.#started });
    }
  }

  async #ask(): Promise<void> {
    const { approve, emit, turn, now } = this.#setting;
    const { decision } = this.#job;
    if (approve !== undefined) emit({ type: "tool.approval", turn, time: now(), call: decision.call });
    this.#verdict = await askFor(decision, approve, this.#stop);
  }

  /** Claims until the call is ours or has an end elsewhere. */
  async #untilSettled(request: ClaimRequest): Promise<DispatchResult> {
    const { ledger, gate } = this.#setting;
    const alone = this.#job.decision.tool.parallel === false;
    for (const waits = waitsBetween(); ; await spread(waits.next().value, this.#stop)) {
      const leave = await gate.enter(alone, this.#stop);
      try {
        const outcome = await ledger.claim(request);
        if (outcome.state === "claimed") {
          const settled = await this.#withClaim(outcome.claim, outcome.attempt);
          if (settled !== "lost") return settled;
        } else if (outcome.state !== "held") return endOf(outcome, this.#job.decision.call, this.#setting.corrections);
      } finally {
        leave();
      }
    }
  }

  async #withClaim(claim: Claim, attempt: number): Promise<Settled> {
    const { ledger, leaseMs, now } = this.#setting;
    if (this.#stop.aborted) {
      await ledger.release(claim);
      throw this.#stop.reason;
    }
    const { call, tool } = this.#job.decision;
    if (this.#verdict?.approved === false) {
      const { reason } = this.#verdict;
      return this.#record(
        claim,
        this.#corrective({ reason: "refused", call, ...(reason === undefined ? {} : { why: reason }) }),
      );
    }
    // Begun by us, and still to be had: the ledger forgot it, or another worker that had taken it over is lost too.
    if (this.#unkept !== undefined) return this.#record(claim, this.#unkept);
    if (this.#started && tool.repeatable !== true)
      return this.#record(claim, this.#corrective({ reason: "unknown-outcome", call }));
    const held = holdClaim(ledger, claim, leaseMs, now);
    try {
      return await this.#runHeld(claim, attempt, held.lost);
    } finally {
      held.stop();
    }
  }

  async #runHeld(claim: Claim, attempt: number, lost: AbortSignal): Promise<Settled> {
    const { emit, turn, now, graceMs, timeoutMs } = this.#setting;
    const { decision, early, signal } = this.#job;
    const { tool, args, call } = decision;
    const started = now();
    this.#started = true;
    emit({ type: "tool.start", turn, time: started, call, attempt, ...(early ? { early } : {}) });
    const end = await runTool({
      tool,
      args,
      call,
      attempt,
      signal: AbortSignal.any([signal, lost]),
      timeoutMs: tool.timeoutMs ?? timeoutMs,
      graceMs,
    });
    const durationMs = now() - started;
    // A result may still count: a claim is held until another worker asks for the call, and the ledger knows.
    if (lost.aborted && end.how !== "returned") return "lost";
    if (end.how === "stopped" && tool.repeatable === true) {
      // It may be run again when the run is taken up: nothing is kept that would say otherwise.
      await this.#setting.ledger.release(claim);
      return { ...this.#corrective({ reason: "aborted", call, started: true }), durationMs };
    }
    const answer = this.#answerTo(end);
    const settled = await this.#record(claim, answer);
    if (settled === "lost" && end.how === "returned") this.#unkept = answer;
    return settled === "lost" ? settled : { ...settled, durationMs };
  }

  #answerTo(end: ToolRunEnd): DispatchResult {
    const { call, tool } = this.#job.decision;
    const { output } = this.#setting;
    if (end.how === "returned") return this.#answer(contentOf(end.output, output));
    if (end.how === "stopped") return this.#corrective({ reason: "aborted", call, started: true });
    if (end.how === "timed-out") {
      const timeoutMs = tool.timeoutMs ?? this.#setting.timeoutMs;
      return this.#corrective({ reason: "timed-out", call, timeoutMs, repeatable: tool.repeatable === true });
    }
    const meant = isToolError(end.thrown);
    const message = meant ? textOfToolError(end.thrown, output) : messageOfThrown(end.thrown);
    return this.#corrective({ reason: "threw", call, message, meant, thrown: end.thrown });
  }

  /** Keeps a result; it counts only when it is kept. */
  async #record(claim: Claim, result: DispatchResult): Promise<Settled> {
    const { content, isError, reason } = result;
    const kept: RecordedResult = {
      content,
      ...(isError === undefined ? {} : { isError }),
      ...(reason === undefined ? {} : { reason }),
    };
    try {
      return (await recordPatiently(this.#setting.ledger, claim, kept)) ? result : "lost";
    } catch (error) {
      if (!isLedgerError(error) || error.code !== "too-large") throw error;
      const short = this.#answer({ content: [{ type: "text", text: TOO_LARGE }], isError: true });
      return (await recordPatiently(this.#setting.ledger, claim, { content: short.content, isError: true }))
        ? short
        : "lost";
    }
  }

  #answer(result: RecordedResult): DispatchResult {
    return answerWith(result, this.#job.decision.call);
  }

  #corrective(info: Correction): DispatchResult {
    return correctiveResult(info, this.#setting.corrections);
  }
}

const TOO_LARGE = "The tool ran, but its result is too large to be kept, and is lost. Ask for less at a time.";

/**
 * What goes before the result of a call that was run by the one reading of its text. Not kept with the result: it
 * belongs to the call.
 */
export function withRepairNote(result: DispatchResult, { repair, call }: RunDecision): DispatchResult {
  if (repair === undefined) return result;
  return { ...result, content: [{ type: "text", text: repairedNote({ call, repair }) }, ...result.content] };
}

/** A message for the model goes there word for word, within the bounds of a result. */
function textOfToolError(thrown: Error, output: OutputLimits): string {
  const { content } = contentOf(thrown.message, output);
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** Milliseconds before a result is offered again to a ledger that did not answer. */
const RECORD_WAITS = [100, 400, 1_600];

/** A tool has run: its result is worth some patience. Recording the same result again does no harm. */
async function recordPatiently(ledger: Ledger, claim: Claim, result: RecordedResult): Promise<boolean> {
  for (const waitMs of RECORD_WAITS) {
    try {
      return await ledger.record(claim, result);
    } catch (error) {
      if (isLedgerError(error) && error.code !== "unreachable") throw error;
      await pause(waitMs);
    }
  }
  return ledger.record(claim, result);
}
