// A ledger against a model of it: chains of commands drawn at random, each asked of both. Owns the model.

import * as fc from "fast-check";
import type { Claim, Ledger, TurnRecord } from "unbraid/ledger";
import { expect, test } from "vitest";

interface ModelCall {
  hash: string;
  worker: string;
  holder: number | null;
  attempt: number;
  expired: boolean;
  state: "claimed" | "recorded" | "unknown";
  result: string;
}

interface ModelTurn {
  readonly assistant: string;
  results: string | null;
}

/** What should be in the ledger: calls by name, turns by number, and the claims given out, newest last. */
class Model {
  readonly calls = new Map<string, ModelCall>();
  readonly turns = new Map<number, ModelTurn>();
  claims: { readonly call: string; readonly generation: number }[] = [];
  generation = 0;
}

/** The ledger that is asked, with the claims in the order of the model's. */
interface Real {
  readonly ledgers: readonly Ledger[];
  readonly run: string;
  readonly claims: Claim[];
  pass(ms: number): Promise<void>;
}

type Command = fc.AsyncCommand<Model, Real>;

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => name };
}

function at(real: Real, which: number): Ledger {
  return real.ledgers[which % real.ledgers.length] as Ledger;
}

function text(value: string): { content: [{ type: "text"; text: string }] } {
  return { content: [{ type: "text", text: value }] };
}

interface Claiming {
  readonly which: number;
  readonly call: string;
  readonly hash: string;
  readonly takeOver: boolean;
  readonly long: boolean;
}

const claiming = fc
  .record<Claiming>({
    which: fc.nat(1),
    call: fc.constantFrom("a", "b"),
    hash: fc.constantFrom("h1", "h1", "h1", "h2"),
    takeOver: fc.boolean(),
    long: fc.boolean(),
  })
  .map((drawn) =>
    command(`claim ${JSON.stringify(drawn)}`, async (model, real) => {
      const { which, call, hash, takeOver, long } = drawn;
      const outcome = await at(real, which).claim({
        key: { run: real.run, turn: 0, call },
        tool: "t",
        argumentsHash: hash,
        worker: `w${which}`,
        leaseMs: long ? 60_000 : 1,
        takeOver,
      });
      const expected = claimInModel(model, drawn);
      expect(outcome).toMatchObject(expected);
      if (outcome.state === "claimed") real.claims.push(outcome.claim);
      // A short lease is over at once, so that the model needs no clock.
      if (!long) await real.pass(3);
    }),
  );

function claimInModel(model: Model, { which, call, hash, takeOver, long }: Claiming): object {
  const found = model.calls.get(call);
  const worker = `w${which}`;
  const next = (attempt: number): object => {
    model.generation += 1;
    model.claims.push({ call, generation: model.generation });
    const holder = model.generation;
    model.calls.set(call, { hash, worker, holder, attempt, expired: !long, state: "claimed", result: "" });
    return { state: "claimed", attempt };
  };
  if (found === undefined) return next(1);
  if (found.hash !== hash) return { state: "collision", argumentsHash: found.hash };
  if (found.state === "recorded") return { state: "recorded", result: text(found.result) };
  if (found.state === "unknown") return { state: "unknown", worker: found.worker };
  if (!found.expired) return { state: "held", worker: found.worker };
  if (takeOver) return next(found.attempt + 1);
  found.state = "unknown";
  found.holder = null;
  return { state: "unknown", worker: found.worker };
}

/** A claim from those given out, and the call in the model where it is still held. */
function pick(model: Model, real: Real, nth: number): { claim: Claim; held: ModelCall | undefined } | undefined {
  const index = model.claims.length - 1 - (nth % Math.max(1, model.claims.length));
  const [known, claim] = [model.claims[index], real.claims[index]];
  if (known === undefined || claim === undefined) return undefined;
  const call = model.calls.get(known.call);
  return { claim, held: call?.holder === known.generation ? call : undefined };
}

const withClaim = fc.record({
  which: fc.nat(1),
  nth: fc.nat(3),
  short: fc.boolean(),
  value: fc.constantFrom("x", "y"),
});

const renewing = withClaim.map(({ which, nth, short }) =>
  command(`renew ${nth} ${short ? "short" : "long"}`, async (model, real) => {
    const picked = pick(model, real, nth);
    if (picked === undefined) return;
    const held = picked.held?.state === "claimed" ? picked.held : undefined;
    expect(await at(real, which).renew(picked.claim, short ? 1 : 60_000)).toBe(held !== undefined);
    if (held !== undefined) held.expired = short;
    if (short) await real.pass(3);
  }),
);

const recording = withClaim.map(({ which, nth, value }) =>
  command(`record ${nth} ${value}`, async (model, real) => {
    const picked = pick(model, real, nth);
    if (picked === undefined) return;
    const { held } = picked;
    const expected = held?.state === "claimed" || (held?.state === "recorded" && held.result === value);
    expect(await at(real, which).record(picked.claim, text(value))).toBe(expected);
    if (held?.state === "claimed") Object.assign(held, { state: "recorded", result: value });
  }),
);

const releasing = withClaim.map(({ which, nth }) =>
  command(`release ${nth}`, async (model, real) => {
    const picked = pick(model, real, nth);
    if (picked === undefined) return;
    await at(real, which).release(picked.claim);
    if (picked.held?.state !== "claimed") return;
    if (picked.held.attempt === 1) model.calls.delete(picked.claim.key.call);
    else Object.assign(picked.held, { holder: null, expired: true });
    await real.pass(1);
  }),
);

const turning = fc
  .record({ which: fc.nat(1), turn: fc.nat(2), value: fc.constantFrom("x", "y"), close: fc.boolean() })
  .map(({ which, turn, value, close }) =>
    command(`${close ? "close" : "open"} turn ${turn} ${value}`, async (model, real) => {
      const found = model.turns.get(turn);
      if (!close) {
        const kept = found ?? { assistant: value, results: null };
        model.turns.set(turn, kept);
        const record = { turn, assistant: [value], calls: [], finish: null };
        expect(await at(real, which).openTurn(real.run, record)).toEqual(turnOf(turn, kept));
      } else if (found === undefined) {
        await expect(at(real, which).closeTurn(real.run, turn, [value])).rejects.toMatchObject({ code: "no-turn" });
      } else {
        found.results ??= value;
        expect(await at(real, which).closeTurn(real.run, turn, [value])).toEqual([found.results]);
      }
      const all = [...model.turns].toSorted(([one], [other]) => one - other);
      expect(await at(real, which + 1).turns(real.run)).toEqual(all.map(([number, kept]) => turnOf(number, kept)));
    }),
  );

function turnOf(turn: number, { assistant, results }: ModelTurn): TurnRecord {
  const open = { turn, assistant: [assistant], calls: [], finish: null };
  return results === null ? open : { ...open, results: [results] };
}

const passing = fc.constant(0).map(() => command("pass 3", (_, real) => real.pass(3)));

const forgetting = fc.nat(1).map((which) =>
  command("forget", async (model, real) => {
    const known = model.calls.size > 0 || model.turns.size > 0;
    expect(await at(real, which).forget({ run: real.run })).toBe(known ? 1 : 0);
    model.calls.clear();
    model.turns.clear();
  }),
);

let models = 0;

/** Adds the test. */
export function modelTests(open: () => Promise<Ledger>, pass: (ms: number) => Promise<void>, numRuns: number): void {
  test("does what the model does, for any chain of commands", { timeout: 600_000 }, async () => {
    const ledgers = [await open(), await open()];
    const chains = fc.commands([claiming, claiming, renewing, recording, releasing, turning, passing, forgetting], {
      maxCommands: 30,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(chains, (chain) => {
        models += 1;
        const real: Real = { ledgers, run: `model ${models}`, claims: [], pass };
        return fc.asyncModelRun(() => ({ model: new Model(), real }), chain);
      }),
      { numRuns },
    );
  });
}
