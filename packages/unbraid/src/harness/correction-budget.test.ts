import { describe, expect, test } from "vitest";
import { call } from "./calls.test-kit.ts";
import { CorrectionBudget } from "./correction-budget.ts";
import type { CorrectionReason } from "./corrections.ts";

const result = (reason?: CorrectionReason, name = "search") => ({
  call: call(name),
  ...(reason === undefined ? {} : { reason }),
});

describe("CorrectionBudget", () => {
  test("stops after so many of the model's own faults in a run", () => {
    const budget = new CorrectionBudget({ maxCorrections: 3, maxInARow: Infinity });
    expect(budget.add([result("malformed"), result("unknown-tool", "a"), result()])).toBeUndefined();
    expect(budget.add([result("truncated")])).toBeUndefined();
    expect(budget.add([result("invalid-arguments")])).toEqual({
      limit: "corrections",
      reason: "invalid-arguments",
      tool: "search",
      count: 4,
      message:
        '4 calls could not run for the model\'s own fault; the last one, to "search", because: invalid-arguments',
    });
  });

  test("stops after so many turns in a row that end the same way for one tool", () => {
    const budget = new CorrectionBudget({ maxInARow: 2 });
    expect(budget.add([result("threw")])).toBeUndefined();
    expect(budget.add([result("threw"), result("threw"), result(undefined, "other")])).toBeUndefined();
    expect(budget.add([result("threw")])).toMatchObject({
      limit: "in-a-row",
      count: 3,
      reason: "threw",
      tool: "search",
    });
  });

  test.each<[string, readonly ReturnType<typeof result>[]]>([
    ["a good call", [result()]],
    ["a good call beside a bad one", [result("malformed"), result()]],
    ["another reason", [result("invalid-arguments")]],
  ])("%s ends a row", (_, between) => {
    const budget = new CorrectionBudget({ maxInARow: 2 });
    budget.add([result("malformed")]);
    budget.add([result("malformed")]);
    expect(budget.add(between)).toBeUndefined();
    expect(budget.add([result("malformed")])).toBeUndefined();
    expect(budget.add([result("malformed")])).toBeUndefined();
  });

  test("another tool's calls do not", () => {
    const budget = new CorrectionBudget({ maxInARow: 1 });
    budget.add([result("refused")]);
    budget.add([result(undefined, "other")]);
    expect(budget.add([result("refused")])?.limit).toBe("in-a-row");
  });

  test("tools that fail count in a row, not for the run", () => {
    const budget = new CorrectionBudget({ maxCorrections: 1, maxInARow: Infinity });
    for (let turn = 0; turn < 50; turn++)
      expect(
        budget.add([result("threw"), result("timed-out", "b"), result("refused", "c"), result("unknown-outcome", "d")]),
      ).toBeUndefined();
  });

  test("being stopped counts for nothing", () => {
    const budget = new CorrectionBudget({ maxCorrections: 1, maxInARow: 1 });
    for (let turn = 0; turn < 50; turn++) expect(budget.add([result("aborted")])).toBeUndefined();
  });

  test.each([0, -1, 1.5, NaN])("a limit of %s is refused", (limit) => {
    expect(() => new CorrectionBudget({ maxCorrections: limit })).toThrow(/maxCorrections/);
    expect(() => new CorrectionBudget({ maxInARow: limit })).toThrow(/maxInARow/);
  });
});
