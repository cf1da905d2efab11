// Checks of one text, for the short and the long property tests. Each throws when the room and the judges disagree.

import { below, canBeCompleted, cut, mutated, native, pick, type Random, sameValue } from "./json.test-support.ts";
import { parsePath, normalizedStep } from "./path.ts";
import { JsonScanner } from "./scanner.ts";
import { JsonValueBuilder } from "./value.ts";

function must(condition: boolean, what: string | (() => string), text: string): void {
  if (!condition) throw new Error(`${typeof what === "string" ? what : what()}: ${JSON.stringify(text)}`);
}

/** Everything that can be seen of a scanner. */
function seen(scanner: JsonScanner): string {
  const { state, canEnd, expectsValue, kind, length, depth, fault } = scanner;
  return JSON.stringify([state, canEnd, expectsValue, kind, length, depth, fault, scanner.end()]);
}

/** Scanner and builder say of a text what `JSON.parse` says, whole and cut, with fragments taken back in between. */
export function checkText(text: string, random: Random): void {
  const right = native(text);
  const whole = new JsonScanner();
  const sound = whole.feed(text);
  must(whole.canEnd === (right !== undefined), "verdict", text);
  must(sound === (whole.state !== "broken"), "answer of feed", text);
  must((whole.end() === undefined) === (right !== undefined), "end", text);

  const scanner = new JsonScanner();
  const builder = new JsonValueBuilder();
  for (const fragment of cut(random, text)) {
    if (random() < 0.1) {
      scanner.feed(mutated(random, fragment));
      scanner.undo();
    }
    must(scanner.feed(fragment) === builder.feed(fragment), "builder stops where the scanner does", text);
  }
  must(seen(scanner) === seen(whole), "same however cut", text);
  must(builder.end() === (right !== undefined), "builder is done", text);
  if (right !== undefined) must(sameValue(builder.value, right.value), "value", text);
  else {
    const once = new JsonValueBuilder();
    once.feed(text);
    once.end();
    must(sameValue(builder.value, once.value), "value so far however cut", text);
  }
}

/** Of a valid text, no prefix is broken, and each is whole exactly when it is JSON. */
export function checkPrefixes(text: string): void {
  const scanner = new JsonScanner();
  for (let end = 0; end < text.length; end++) {
    must(scanner.state !== "broken", "a prefix is broken", text.slice(0, end));
    must(scanner.canEnd === (native(text.slice(0, end)) !== undefined), "verdict on a prefix", text.slice(0, end));
    scanner.feed(text.charAt(end));
  }
}

/** The text before a fault can be completed, with the character at the fault it cannot. */
export function checkFault(text: string): void {
  const scanner = new JsonScanner();
  scanner.feed(text);
  const { fault } = scanner;
  if (fault === undefined) return must(canBeCompleted(text), "sound but cannot be completed", text);
  must(canBeCompleted(text.slice(0, fault.offset)), "fault too late", text);
  must(!canBeCompleted(text.slice(0, fault.offset + 1)), "fault too early", text);
  const lines = text.slice(0, fault.offset).split("\n");
  const column = (lines.at(-1) ?? "").length + 1;
  must(fault.line === lines.length && fault.column === column, "line and column", text);
}

/** feed(a), feed(b), undo(), feed(c) is feed(a), feed(c). */
export function checkUndo(text: string, other: string, random: Random): void {
  const at = below(random, text.length + 1);
  const scanner = new JsonScanner();
  scanner.feed(text.slice(0, at));
  const before = seen(scanner);
  scanner.feed(other);
  scanner.undo();
  must(seen(scanner) === before, () => `undo of ${JSON.stringify(other)} after`, text.slice(0, at));
  scanner.feed(text.slice(at));
  const plain = new JsonScanner();
  plain.feed(text);
  must(seen(scanner) === seen(plain), () => `undo of ${JSON.stringify(other)} at ${at} in`, text);
}

const PATHS = [
  "$",
  "$.a",
  "$.b",
  "$.*",
  "$[*]",
  "$[0]",
  "$[1]",
  "$.*.*",
  "$[*].a",
  "$.a.a",
  "$['a'][0]",
  "$['__proto__']",
  "$[*]['constructor']",
  "$['']",
];

interface Heard {
  text: string;
  done: boolean;
  value: unknown;
}

/** What a follower heard in the end is what stands at its path, whenever it came and however the text was cut. */
export function checkFollow(text: string, random: Random): void {
  const builder = new JsonValueBuilder();
  const path = pick(random, PATHS);
  const heard = new Map<string, Heard>();
  const fragments = cut(random, text);
  const start = random() < 0.5 ? 0 : below(random, fragments.length + 1);
  const place = (): string => `${path} from fragment ${start} of`;
  const follow = (): void => {
    builder.follow(path, (piece, info) => {
      const before = info.restart ? undefined : heard.get(info.path);
      must(before?.done !== true, () => `told after done, ${place()}`, text);
      const all = (before?.text ?? "") + piece;
      must(info.done ? "value" in info : piece !== "", () => `empty piece, ${place()}`, text);
      const split = /[\ud800-\udbff]$/.test(before?.text ?? "") && /^[\udc00-\udfff]/.test(piece);
      must(!split, () => `a pair in two pieces, ${place()}`, text);
      must(
        !info.done || all === (typeof info.value === "string" ? info.value : ""),
        `text of the whole, ${place()}`,
        text,
      );
      heard.set(info.path, { text: all, done: info.done, value: info.value });
    });
  };
  fragments.forEach((fragment, at) => {
    if (at === start) follow();
    builder.feed(fragment);
  });
  if (start >= fragments.length) follow();
  builder.end();
  const right = native(text);
  if (right === undefined) return;
  for (const [at, value] of standing(right.value, path)) {
    const last = heard.get(at);
    must(last?.done === true && sameValue(last.value, value), () => `heard at ${at} by ${place()}`, text);
  }
}

/** The values at a path, by normalized path. */
function standing(root: unknown, path: string): (readonly [string, unknown])[] {
  let found: (readonly [string, unknown])[] = [["$", root]];
  for (const segment of parsePath(path))
    found = found.flatMap(([at, value]) => {
      if (typeof value !== "object" || value === null) return [];
      return Object.entries(value as Record<string, unknown>)
        .map(([key, child]) => [Array.isArray(value) ? Number(key) : key, child] as const)
        .filter(([key]) => segment.kind === "any" || key === (segment.kind === "name" ? segment.name : segment.index))
        .map(([key, child]) => [at + normalizedStep(key), child] as const);
    });
  return found;
}
