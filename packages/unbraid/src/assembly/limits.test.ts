// The limits' own reading. What each limit ends with is tested over wires, in ../limits.test.ts.

import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, type Limits, withDefaults } from "./limits.ts";

describe("withDefaults", () => {
  test("fills in what is missing", () => {
    expect(withDefaults(undefined)).toEqual(DEFAULT_LIMITS);
    expect(withDefaults({ maxCalls: 2 })).toEqual({ ...DEFAULT_LIMITS, maxCalls: 2 });
    expect(withDefaults({ maxCalls: undefined } as unknown as Partial<Limits>)).toEqual(DEFAULT_LIMITS);
  });

  test.each([0, -1, 0.5, Number.NaN, Infinity, "5", null, 2 ** 53])("%j is no limit", (value) => {
    expect(() => withDefaults({ maxCalls: value as number })).toThrow(TypeError);
  });

  test("an unknown limit is a mistake of the caller", () => {
    expect(() => withDefaults({ maxCallz: 1 } as unknown as Partial<Limits>)).toThrow(/maxCallz/);
    expect(() => withDefaults({ toString: 1 } as unknown as Partial<Limits>)).toThrow(TypeError);
  });
});
