import { describe, expect, it } from "vitest";
import { bytesOf, chatBody, fragment, longBody } from "./bodies.test-kit.ts";
import { Recording } from "./recording.ts";
import { bars, columnOf, flow, gaps, positionOf, shifted, ticks, timeWords, wholeView, zoomed } from "./time-line.ts";

function timed(times: readonly number[]): Recording {
  const frames = chatBody(
    times.slice(0, -2).map((_, at) => (at === 0 ? fragment(0, "", "a", "f") : fragment(0, "x"))),
  ).split(/(?<=\n\n)/);
  return Recording.of(frames.map((frame, at) => ({ bytes: bytesOf(frame), time: times[at] ?? Number.NaN })));
}

describe("bars", () => {
  it("stand for every mark, at most one a column", () => {
    const recording = Recording.of([{ bytes: bytesOf(longBody(5000)), time: Number.NaN }]);
    const [lane] = recording.lanes;
    if (lane === undefined) throw new Error("no lane");
    for (const width of [1, 7, 100, 900]) {
      const list = bars(lane, recording, "frame", wholeView(recording, "frame"), width);
      expect(list.length).toBeLessThanOrEqual(width + 1);
      expect(list.reduce((sum, { count }) => sum + count, 0)).toBe(lane.marks);
      expect(list.reduce((sum, { size }) => sum + size, 0)).toBe(lane.text.length);
      expect(new Set(list.map(({ x }) => x)).size).toBe(list.length);
    }
  });

  it("are those of the part that is shown", () => {
    const recording = timed([0, 10, 20, 30, 40, 50, 60, 70, 80]);
    const [lane] = recording.lanes;
    if (lane === undefined) throw new Error("no lane");
    expect(bars(lane, recording, "time", { from: 25, to: 45 }, 20).map(({ x, count }) => [x, count])).toEqual([
      [5, 1],
      [15, 1],
    ]);
    expect(bars(lane, recording, "time", { from: 1000, to: 2000 }, 20)).toEqual([]);
  });

  it("gather a burst", () => {
    const recording = timed([0, 10, 10, 10, 10, 50, 60, 70]);
    const [lane] = recording.lanes;
    if (lane === undefined) throw new Error("no lane");
    expect(bars(lane, recording, "time", { from: 0, to: 100 }, 100).map(({ x, count }) => [x, count])).toEqual([
      [10, 4],
      [50, 1],
    ]);
  });
});

describe("the flow", () => {
  it("holds every byte once", () => {
    const recording = timed([0, 10, 20, 500, 510, 520]);
    for (const axis of ["time", "frame"] as const) {
      const columns = flow(recording, axis, wholeView(recording, axis), 300);
      expect(columns.reduce((sum, bytes) => sum + bytes, 0)).toBe(recording.bytes.length);
    }
  });
});

describe("gaps", () => {
  it("are found where nothing came for long", () => {
    const times = Array.from({ length: 40 }, (_, at) => at * 10 + (at >= 20 ? 900 : 0) + (at >= 30 ? 400 : 0));
    expect(gaps(timed(times))).toEqual([
      { from: 190, to: 1100 },
      { from: 1190, to: 1600 },
    ]);
  });

  it("are not found in an even flow, nor without times", () => {
    expect(gaps(timed(Array.from({ length: 40 }, (_, at) => at * 10)))).toEqual([]);
    expect(gaps(Recording.of([{ bytes: bytesOf(chatBody([{ content: "x" }])), time: Number.NaN }]))).toEqual([]);
  });
});

describe("views", () => {
  const whole = { from: 0, to: 100 };

  it("keep the place under the pointer while they are zoomed, within the whole", () => {
    const near = zoomed(whole, whole, 20, 0.5);
    expect(near).toEqual({ from: 10, to: 60 });
    expect(columnOf(20, near, 100)).toBe(20);
    expect(positionOf(20, near, 100)).toBe(20);
    expect(zoomed(near, whole, 50, 10)).toEqual(whole);
    expect(zoomed(whole, whole, 0, 1e-12).to).toBeGreaterThan(0);
    expect(shifted({ from: 80, to: 130 }, whole)).toEqual({ from: 50, to: 100 });
  });
});

describe("ticks", () => {
  it.each([
    [{ from: 0, to: 1000 }, 900, "time", ["0", "100 ms", "200 ms"]],
    [{ from: 0, to: 7 }, 900, "frame", ["0", "1", "2"]],
    [{ from: 0, to: 0.5 }, 500, "time", ["0", "100 µs", "200 µs"]],
    [{ from: 59_000, to: 80_000 }, 300, "time", ["60 s", "1 min 10 s"]],
  ] as const)("of %j", (view, width, axis, first) => {
    const labels = ticks(view, width, axis).map(({ label }) => label);
    expect(labels.slice(0, first.length).map((label) => label.replace("1 min 0 s", "60 s"))).toEqual(first);
    expect(labels.length).toBeLessThan(width / 40);
  });

  it("never are endless", () => {
    expect(ticks({ from: 0, to: Number.MIN_VALUE }, 500, "time").length).toBeLessThan(20);
  });
});

describe("times in words", () => {
  it.each([
    [0, "0"],
    [0.34, "340 µs"],
    [1.25, "1.3 ms"],
    [12.4, "12 ms"],
    [1250, "1.25 s"],
    [59_949, "59.9 s"],
    [200_000, "3 min 20 s"],
  ])("%d: %s", (time, words) => {
    expect(timeWords(time)).toBe(words);
  });
});
