import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HistogramBuilder, quantile, spans } from "./histogram.ts";

function of(values: readonly number[]): HistogramBuilder {
  const builder = new HistogramBuilder();
  for (const value of values) builder.add(value);
  return builder;
}

const values = fc.array(fc.double({ min: 1, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 200 });

describe("HistogramBuilder", () => {
  it("tells quantiles to five per cent", () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const exact = list.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * list.length)) - 1] ?? 0;
        const told = quantile(of(list).result, share) ?? 0;
        expect(Math.abs(told - exact) / exact).toBeLessThanOrEqual(0.05);
      }),
    );
  });

  it("is the same added up in parts", () => {
    fc.assert(
      fc.property(values, values, (one, two) => {
        const parts = of(one);
        parts.merge(of(two).result);
        expect(parts.result).toEqual(of([...one, ...two]).result);
      }),
    );
  });

  it("counts what is below 1, and leaves out what is no number of 0 or more", () => {
    const { count, min, max, buckets } = of([0, 0.5, -1, Number.NaN, Infinity]).result;
    expect({ count, min, max, buckets }).toEqual({ count: 2, min: 0, max: 0.5, buckets: { 0: 2 } });
    expect(spans(of([0]).result)).toEqual([{ from: 0, to: 1, count: 1 }]);
  });

  it("has no quantile of nothing", () => {
    expect(quantile(of([]).result, 0.5)).toBeNull();
    expect(of([]).result).toEqual({ count: 0, min: 0, max: 0, buckets: {} });
  });
});
