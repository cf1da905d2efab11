// One turn: a model is asked, its answer is read, its calls are run. Owns what an answer leads to, however it ended; what
// follows from turn to turn is run-driver.ts.

import type { StreamEvent, ToolCall } from "../events.ts";
import { withParts } from "../parts/with-parts.ts";
import type { Source } from "../sources.ts";
import { type Answer, AnswerCollector, pending } from "../turns/answer.ts";
import type { CallResult } from "../turns/turn-form.ts";
import { askFor } from "./approval.ts";
import { correctiveResult } from "./corrective.ts";
import { Dispatch, GRACE_MS } from "./dispatch.ts";
import { EventQueue } from "./event-queue.ts";
import type { DispatchResult, ToolEvent } from "./events.ts";
import type { TurnRecord } from "./ledger.ts";
import type { ModelRequest } from "./model.ts";
import { repairsThatRun } from "./repairs.ts";
import type { RunEvent } from "./run-events.ts";
import type { RunSetting } from "./run-setting.ts";
import { mayBeBetter, streamError } from "./stream-trouble.ts";
import type { ToolSet } from "./tool-set.ts";
import {
  answerOf,
  endedWell,
  goesOn,
  isProvidersFault,
  isSame,
  type Judged,
  type KeptTurn,
  keptTurn,
  wordFor,
} from "./turn-record.ts";
import { pause, STOPPING_MS, unlessAborted, unlessLate } from "./waiting.ts";

/** How a turn ended. */
export type TurnOutcome =
  | { readonly how: "kept"; readonly turn: KeptTurn }
  /** Nothing of it stays. `error` is absent where it was aborted. */
  | { readonly how: "dropped"; readonly error?: unknown }
  /** It stays, and the run ends: aborted, or the ledger failed. */
  | { readonly how: "broken"; readonly turn: KeptTurn; readonly error?: unknown };

/** Runs one turn. */
export class Turn {
  readonly #setting: RunSetting;
  readonly #turn: number;
  readonly #tools: ToolSet;
  readonly #queue: EventQueue<RunEvent> = new EventQueue();
  /** The calls whose tools have begun, and the answers there are, by key. */
  readonly #begun: Set<string> = new Set();
  readonly #answered: Map<string, CallResult> = new Map();
  /** As much of the last answer as came. */
  answer: Answer | null = null;

  /**
   * @param setting What all turns share.
   * @param turn The 0-based turn.
   * @param tools The tools of this turn.
   */
  constructor(setting: RunSetting, turn: number, tools: ToolSet) {
    this.#setting = setting;
    this.#turn = turn;
    this.#tools = tools;
  }

  /** Asks the model, as often as it takes. Never throws. */
  async *ask(history: readonly unknown[]): AsyncGenerator<RunEvent, TurnOutcome, undefined> {
    const { signal, attempts, backOff } = this.#setting;
    for (let attempt = 1; ; attempt++) {
      yield { type: "turn.start", turn: this.#turn, attempt };
      this.#answered.clear();
      const dispatch = this.#dispatch();
      try {
        yield* this.#read(history, dispatch);
      } catch (error) {
        await dispatch.abandon();
        return signal.aborted ? { how: "dropped" } : { how: "dropped", error };
      }
      const answer = this.answer;
      if (answer === null) return { how: "dropped" };
      if (endedWell(answer) || isProvidersFault(answer)) return yield* this.#settle(answer, dispatch);
      // What was in flight may still have begun.
      if (this.#begun.size === 0) await dispatch.abandon();
      if (this.#begun.size > 0)
        return yield* signal.aborted ? this.#stopped(answer, dispatch) : this.#settle(answer, dispatch);
      if (signal.aborted) return { how: "dropped" };
      const again = attempt < attempts && mayBeBetter(answer.error);
      const wait = again ? backOff(attempt) : undefined;
      const drop = { type: "turn.drop", turn: this.#turn, attempt, error: answer.error } as const;
      yield wait === undefined ? drop : { ...drop, retryInMs: wait };
      if (wait === undefined) return { how: "dropped", error: streamError(answer.error, attempt) };
      try {
        await pause(wait, signal);
      } catch {
        return { how: "dropped" };
      }
    }
  }

  /** Takes up a turn that was kept before its results were. Never throws. */
  async *resume(record: TurnRecord): AsyncGenerator<RunEvent, TurnOutcome, undefined> {
    yield { type: "turn.start", turn: this.#turn, attempt: 1, resumed: true };
    const answer = answerOf(record, this.#setting.model.form);
    const dispatch = this.#dispatch(true);
    // A response that broke off was kept for the sake of calls that had started early: what they came to is told.
    if (!endedWell(answer) && record.results === undefined) for (const call of record.calls) dispatch.offer(call);
    return yield* this.#finish(record, answer, dispatch);
  }

  /** Reads one response to its end, and offers its calls as they close. */
  async *#read(history: readonly unknown[], dispatch: Dispatch): AsyncGenerator<RunEvent, void, undefined> {
    const { model, system, signal, reading } = this.#setting;
    const { definitions } = this.#tools;
    const hasEarly = [...this.#tools].some(({ early }) => early === true);
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      signal.throwIfAborted();
      const source = await this.#send({
        messages: history,
        tools: definitions,
        signal: controller.signal,
        ...(system === undefined ? {} : { system }),
      });
      // A model of one's own may have the bare wire.
      const options = withParts({ tools: definitions, ...reading, signal: controller.signal });
      const events = model.wire.read(source, options);
      const collector = new AnswerCollector(model.wire.name);
      this.answer = collector.answer;
      try {
        for (;;) {
          const next = events.next();
          const step = hasEarly ? yield* this.#queue.until(next) : await next;
          if (step.done === true) break;
          this.#take(step.value, collector, dispatch);
          yield { ...step.value, turn: this.#turn };
        }
      } finally {
        this.answer = collector.answer;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      // Some clients keep the connection open after their stream was left.
      controller.abort();
    }
  }

  /** Asks the model. One that is deaf to its signal is not waited for; what it gives late is let go of. */
  async #send(request: ModelRequest): Promise<Source> {
    const { model } = this.#setting;
    const sent = model.send(request);
    try {
      return await unlessAborted(sent, request.signal);
    } catch (error) {
      if (request.signal.aborted)
        void sent.then(
          (source) => model.wire.read(source).return(),
          () => {},
        );
      throw error;
    }
  }

  #take(event: StreamEvent, collector: AnswerCollector, dispatch: Dispatch): void {
    collector.add(event);
    // Of several candidate answers the first is the answer; calls of the others are nobody's.
    if (event.type === "call.close" && event.call.choice === 0) dispatch.offer(event.call);
    if (event.type === "call.retract") dispatch.retract(event.call.key);
    if (event.type === "usage") this.#setting.usage.count(event);
    if (event.type === "finish") this.#setting.usage.next();
  }

  #dispatch(resumed = false): Dispatch {
    const { dispatch, signal } = this.#setting;
    return new Dispatch({
      ...dispatch,
      tools: this.#tools,
      turn: this.#turn,
      resumed,
      signal,
      onEvent: (event) => this.#hear(event),
    });
  }

  #hear(event: ToolEvent): void {
    if (event.type === "tool.start") this.#begun.add(event.call.key);
    if (event.type === "tool.result") this.#answered.set(event.result.call.key, event.result);
    this.#queue.push(event);
  }

  /** Keeps the turn in the ledger, before any of its calls runs that had to wait for the end of the response. */
  async *#settle(answer: Answer, dispatch: Dispatch): AsyncGenerator<RunEvent, TurnOutcome, undefined> {
    const { ledger, run, model, repair } = this.#setting;
    let record: TurnRecord;
    try {
      const echoed = repair ? await this.#soon(repairsThatRun(answer, this.#tools)) : answer;
      const assistant = model.form.assistant(echoed);
      record = { turn: this.#turn, assistant, calls: pending(answer), finish: wordFor(answer) };
      const kept = await this.#soon(ledger.openTurn(run, record));
      if (!isSame(kept, record)) {
        // Another worker was faster: its answer is the turn.
        await dispatch.abandon();
        return yield* new Turn(this.#setting, this.#turn, this.#tools).resume(kept);
      }
    } catch (error) {
      await dispatch.abandon();
      if (this.#begun.size === 0) return { how: "dropped", error };
      return this.#broken(answer, error);
    }
    return yield* this.#finish(record, answer, dispatch);
  }

  /**
   * Ends a response that was left while tools ran that had started early. It is not kept in the ledger: whoever takes
   * up the run asks the model for the turn anew.
   */
  async *#stopped(answer: Answer, dispatch: Dispatch): AsyncGenerator<RunEvent, TurnOutcome, undefined> {
    try {
      yield* this.#queue.until(this.#soon(this.#results(answer, dispatch)));
    } catch {
      // What there is, is said below.
    }
    const { turn } = this.#broken(answer);
    return { how: "broken", turn };
  }

  /** Runs the calls of a kept turn, and keeps their results. */
  async *#finish(
    record: TurnRecord,
    answer: Answer,
    dispatch: Dispatch,
  ): AsyncGenerator<RunEvent, TurnOutcome, undefined> {
    const { ledger, run, model, signal } = this.#setting;
    const { assistant } = record;
    const finish = answer.finish;
    try {
      if (record.results !== undefined) {
        await dispatch.abandon();
        return { how: "kept", turn: keptTurn(record, record.results) };
      }
      const results = yield* this.#queue.until(this.#soon(this.#results(answer, dispatch)));
      const said = this.#correction(answer);
      const messages = [...(results.length === 0 ? [] : model.form.results(results, answer)), ...said];
      const judged = said.length > 0 ? [UNREAD] : results;
      const turn = { assistant, results: messages, finish, goesOn: goesOn(record), judged };
      // An aborted run may be taken up: then its calls are looked at again.
      if (signal.aborted) return { how: "broken", turn };
      const kept = await this.#soon(ledger.closeTurn(run, this.#turn, messages));
      return { how: "kept", turn: { ...turn, results: kept } };
    } catch (error) {
      return this.#broken(answer, error, assistant);
    }
  }

  /** Waits for a ledger, schema or rule of the user's: once the run was aborted, not for ever. */
  async #soon<Value>(promise: PromiseLike<Value>): Promise<Value> {
    const { dispatch, signal } = this.#setting;
    return unlessLate(promise, signal, (dispatch.graceMs ?? GRACE_MS) + STOPPING_MS);
  }

  /** One result for each pending call, in their order; whoever may, says yes to what the vendor asks for. */
  async #results(answer: Answer, dispatch: Dispatch): Promise<readonly DispatchResult[]> {
    const asked = pending(answer).filter(({ kind }) => kind === "mcp-approval");
    const [results, approvals] = await Promise.all([
      dispatch.finish(answer),
      Promise.all(asked.map((call) => this.#approval(call))),
    ]);
    const byKey = new Map([...results, ...approvals].map((result) => [result.call.key, result]));
    return pending(answer).map((call) => byKey.get(call.key) ?? this.#unanswered(call));
  }

  async #approval(call: ToolCall): Promise<CallResult> {
    const { dispatch, signal } = this.#setting;
    const result = (approve: boolean, text: string): CallResult => ({
      call,
      content: [{ type: "text", text }],
      approve,
      ...(approve ? {} : { isError: true }),
    });
    try {
      const question = { action: "run", call, tool: undefined, args: call.arguments } as const;
      const { approved, reason } = await askFor(question, dispatch.approve, signal);
      return result(approved, approved ? "Approved." : (reason ?? "Not approved."));
    } catch {
      return result(false, "The run was stopped before anybody could approve it.");
    }
  }

  /** Where results could not be had: those that there are, and words for the rest. The history stays whole. */
  #broken(
    answer: Answer,
    error?: unknown,
    assistant?: readonly unknown[],
  ): Extract<TurnOutcome, { readonly how: "broken" }> {
    const { form } = this.#setting.model;
    const calls = pending(answer);
    const results = calls.map((call) => this.#answered.get(call.key) ?? this.#unanswered(call));
    const turn = {
      assistant: assistant ?? form.assistant(answer),
      results: results.length === 0 ? [] : form.results(results, answer),
      finish: answer.finish,
      goesOn: false,
      judged: [],
    };
    return { how: "broken", turn, error };
  }

  #unanswered(call: ToolCall): CallResult {
    const started = this.#begun.has(call.key);
    return correctiveResult({ reason: "aborted", call, started }, this.#setting.dispatch.corrections);
  }

  /** What is said where the vendor itself took a call for malformed, and gave none that could be answered. */
  #correction(answer: Answer): readonly unknown[] {
    if (!isProvidersFault(answer) || pending(answer).length > 0) return [];
    return this.#setting.model.form.user([{ type: "text", text: MALFORMED_AT_PROVIDER }]);
  }
}

/** What the vendor took for a malformed call, as a call for the budget. */
const UNREAD: Judged = {
  call: {
    key: "",
    id: "",
    name: "",
    kind: "function",
    choice: 0,
    index: 0,
    status: "malformed",
    argumentsText: "",
    arguments: null,
  },
  reason: "malformed",
};

const MALFORMED_AT_PROVIDER =
  "Your last answer held a tool call that could not be read, so nothing was run. Call the tool again: one call, its name " +
  "exactly as declared, its arguments one JSON object that fits the tool's schema.";
