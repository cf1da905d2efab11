// Bodies of the composed cases, broken at random, and bodies drawn at random: what a strict reader lets run, the others let run too, and no call is left open.
// How many bodies, those who run it say.

import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { numbers, mutate } from "../fast-path.test-kit.ts";
import { brokenInvariants } from "../invariants.test-kit.ts";
import type { ReaderOptions } from "../reader.ts";
import { DRAWN } from "./drawn.test-kit.ts";
import { excess, read, STRICT } from "./strict.test-kit.ts";

const cases = new URL("../../../../conformance/", import.meta.url);
const tools = JSON.parse(readFileSync(new URL("cases/tools.json", cases), "utf8")) as NonNullable<
  ReaderOptions["tools"]
>;

/** The small composed bodies of a wire, as text. */
function bodiesOf(name: string): string[] {
  return ["cases/", "cases-more/", "cases-wires/", "cases-text/"]
    .flatMap((folder) =>
      readdirSync(new URL(folder, cases))
        .filter((file) => new RegExp(`\\.${name}\\.(?:\\d\\.)?(?:sse|ndjson|json)$`).test(file))
        .map((file) => readFileSync(new URL(folder + file, cases), "utf8")),
    )
    .filter((body) => body.length < 20_000);
}

/** Bodies that were checked: how many calls were let run, and how many bodies refused. */
interface Checked {
  readonly allowed: number;
  readonly refused: number;
}

/** Checks one body, with the tools or without. */
function check(name: string, text: string, options: ReaderOptions): Checked {
  const wire = STRICT.get(name);
  if (wire === undefined) throw new Error(name);
  const bytes = new TextEncoder().encode(text);
  const found = excess(name, bytes, options);
  if (found.excess.length > 0) expect.fail(`${found.excess.join("\n")}\nruns, of this body:\n${text}`);
  const broken = brokenInvariants(read(wire, bytes, options), bytes.length);
  if (broken.length > 0) expect.fail(`${broken.join("\n")}\nof this body:\n${text}`);
  return { allowed: found.allowed, refused: found.error === "irregular" ? 1 : 0 };
}

function sum(all: readonly Checked[]): Checked {
  return {
    allowed: all.reduce((total, each) => total + each.allowed, 0),
    refused: all.reduce((total, each) => total + each.refused, 0),
  };
}

/** Reads `rounds` broken relatives of every small body of a wire. */
export function checkBroken(name: string, rounds: number): Checked {
  const checked: Checked[] = [];
  for (const [turn, body] of bodiesOf(name).entries()) {
    const random = numbers(turn + 1);
    for (let round = 0; round < rounds; round++) {
      const text = mutate(body, random);
      checked.push(check(name, text, random(2) === 0 ? {} : { tools }));
    }
  }
  return sum(checked);
}

/** Reads `rounds` drawn bodies of a wire. */
export function checkDrawn(name: string, rounds: number): Checked {
  const drawn = DRAWN.get(name);
  if (drawn === undefined) throw new Error(name);
  const random = numbers(rounds);
  return sum(Array.from({ length: rounds }, () => check(name, drawn(random), {})));
}
