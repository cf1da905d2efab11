// Checks of one text, for the short and the long property tests. Each throws when the room and the judges disagree.

import { below, canBeCompleted, cut, mutated, native, type Random, sameValue } from "./json.test-support.ts";
import { JsonScanner } from "./scanner.ts";
import { JsonValueBuilder } from "./value.ts";

function must(condition: boolean, what: string, text: string): void {
  if (!condition) throw new Error(`${what}: ${JSON.stringify(text)}`);
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
  must(seen(scanner) === before, `undo of ${JSON.stringify(other)} after`, text.slice(0, at));
  scanner.feed(text.slice(at));
  const plain = new JsonScanner();
  plain.feed(text);
  must(seen(scanner) === seen(plain), `undo of ${JSON.stringify(other)} at ${at} in`, text);
}
