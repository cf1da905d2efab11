import * as fc from "fast-check";
import type { NoticeCode } from "unbraid";
import { describe, expect, it } from "vitest";
import { type BodyFacts, zeroCounts } from "./facts.ts";
import { ReportBuilder, type ScanReport } from "./report.ts";

function body(name: string, about: Partial<Omit<BodyFacts, "counts">> & { counts?: object } = {}): BodyFacts {
  return {
    name,
    protocol: "openai-chat",
    model: "m",
    server: null,
    notices: new Map(),
    finish: "tool_calls",
    fragments: [],
    gaps: [],
    ...about,
    counts: { ...zeroCounts(), responses: 1, ...about.counts },
  };
}

function reportOf(bodies: readonly BodyFacts[]): ScanReport {
  const builder = new ReportBuilder();
  for (const one of bodies) {
    builder.file();
    builder.add(one);
  }
  return builder.result;
}

const bodies = fc.array(
  fc
    .record({
      name: fc.nat(1000).map((n) => `body-${n}`),
      protocol: fc.constantFrom("gemini", "anthropic", null),
      model: fc.constantFrom("a", "b", null),
      server: fc.constantFrom("one", null),
      malformed: fc.nat(3),
      truncated: fc.nat(3),
      notices: fc.dictionary(fc.constantFrom<NoticeCode>("id-missing", "limit"), fc.nat(3)),
      fragments: fc.array(fc.nat(100)),
    })
    .map(({ name, protocol, model, server, malformed, truncated, notices, fragments }) =>
      body(name, {
        protocol,
        model,
        server,
        fragments,
        notices: new Map(Object.entries(notices)) as Map<NoticeCode, number>,
        counts: { malformed, truncated, calls: malformed + truncated },
      }),
    ),
  { maxLength: 60 },
);

describe("ReportBuilder", () => {
  it("says of parts that are merged, in whatever order, what it says of the whole", () => {
    fc.assert(
      fc.property(bodies, fc.nat(60), (all, at) => {
        const parts = [reportOf(all.slice(0, at)), reportOf(all.slice(at))];
        for (const order of [parts, parts.toReversed()]) {
          const merged = new ReportBuilder();
          for (const part of order) merged.merge(part);
          expect(merged.result).toEqual(reportOf(all));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("puts malformed before truncated before notices, and leaves sound bodies out", () => {
    const { worst } = reportOf([
      body("sound"),
      body("noticed", { notices: new Map<NoticeCode, number>([["id-missing", 900]]) }),
      body("cut", { counts: { truncated: 1 } }),
      body("broken", { counts: { malformed: 1 } }),
      body("dead", { counts: { errors: 1 }, finish: null }),
    ]);
    expect(worst.map(({ name }) => name)).toEqual(["broken", "cut", "dead", "noticed"]);
    expect(worst[0]?.what).toEqual(["1 malformed"]);
  });

  it("keeps a bounded number of names, whatever models call themselves", () => {
    const many = Array.from({ length: 2_500 }, (_, at) =>
      body(`b${at}`, { model: `m${at}`, counts: { malformed: 1 } }),
    );
    const report = reportOf([...many, body("long", { model: "x".repeat(10_000) })]);
    expect(report.groups.length).toBeLessThanOrEqual(2_001);
    expect(report.totals.responses).toBe(2_501);
    expect(report.groups.find(({ model }) => model === "(further models)")?.counts.responses).toBeGreaterThan(400);
    expect(report.worst).toHaveLength(20);
    expect(Math.max(...report.groups.map(({ model }) => model?.length ?? 0))).toBeLessThanOrEqual(200);
  });

  it("keeps names that objects have of themselves as data", () => {
    const hostile = new Map([["__proto__", 2]]) as unknown as Map<NoticeCode, number>;
    const report = reportOf([body("a", { model: "__proto__", notices: hostile })]);
    const merged = new ReportBuilder();
    merged.merge(JSON.parse(JSON.stringify(report)) as ScanReport);
    expect(Object.entries(merged.result.notices)).toEqual([["__proto__", 2]]);
    expect(merged.result.groups[0]?.model).toBe("__proto__");
    expect(({} as Record<string, unknown>)["2"]).toBeUndefined();
  });
});
