import { expect, test } from "vitest";
import { Gate } from "./gate.ts";

const never = new AbortController().signal;

/** Enters with a name; who is inside is listed. */
function people(limit: number) {
  const gate = new Gate(limit);
  const inside: string[] = [];
  const leave = new Map<string, () => void>();
  const come = (name: string, alone = false, signal = never): Promise<void> =>
    gate.enter(alone, signal).then((out) => {
      inside.push(name);
      leave.set(name, () => {
        inside.splice(inside.indexOf(name), 1);
        out();
        out();
      });
    });
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
  return {
    come,
    inside,
    settle,
    go: async (name: string) => {
      leave.get(name)?.();
      await settle();
    },
  };
}

test("lets so many in at a time, in the order in which they came", async () => {
  const { come, inside, go, settle } = people(2);
  for (const name of ["a", "b", "c", "d"]) void come(name);
  await settle();
  expect(inside).toEqual(["a", "b"]);
  await go("b");
  expect(inside).toEqual(["a", "c"]);
  await go("a");
  expect(inside).toEqual(["c", "d"]);
});

test("one alone waits for those before it and holds up those behind it", async () => {
  const { come, inside, go, settle } = people(3);
  void come("a");
  void come("alone", true);
  void come("b");
  void come("c");
  await settle();
  expect(inside).toEqual(["a"]);
  await go("a");
  expect(inside).toEqual(["alone"]);
  await go("alone");
  expect(inside).toEqual(["b", "c"]);
});

test("one that gives up frees its place in the line", async () => {
  const { come, inside, go, settle } = people(2);
  const stop = new AbortController();
  void come("a");
  const alone = come("alone", true, stop.signal);
  void come("b");
  await settle();
  expect(inside).toEqual(["a"]);
  stop.abort(new Error("enough"));
  await expect(alone).rejects.toThrow("enough");
  expect(inside).toEqual(["a", "b"]);
  await expect(come("late", false, stop.signal)).rejects.toThrow("enough");
  await go("a");
  await go("b");
  expect(inside).toEqual([]);
});

test.each([0, -1, 1.5, NaN])("a limit of %s is refused", (limit) => {
  expect(() => new Gate(limit)).toThrow(/concurrency/);
});
