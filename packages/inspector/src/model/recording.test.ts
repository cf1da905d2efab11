import { describe, expect, it } from "vitest";
import { collect, read } from "unbraid";
import { rescue } from "unbraid/rescue";
import { bytesOf, CASE_FOLDERS, caseBodies, chatBody, fragment, longBody } from "./bodies.test-kit.ts";
import { Recording } from "./recording.ts";

const NO_TIME = Number.NaN;

function recorded(text: string): Recording {
  return Recording.of([{ bytes: bytesOf(text), time: NO_TIME }]);
}

describe("a recording", () => {
  const bodies = caseBodies(...CASE_FOLDERS);

  it("is what the library reads, of every body", async () => {
    expect(bodies.length).toBeGreaterThan(300);
    for (const { name, bytes } of bodies) {
      const recording = Recording.of([{ bytes, time: NO_TIME }]);
      const { calls, text, finish, notices } = await collect(read(bytes, { rescue }));
      // Ids that are made differ from one reading to the next where the frames do.
      const shape = (list: typeof calls): unknown => list.map((call) => [call.name, call.status, call.argumentsText]);
      expect(shape(recording.collected.calls), name).toEqual(shape(calls));
      expect([recording.collected.text, recording.collected.finish], name).toEqual([text, finish]);
      expect(recording.pins.filter(({ event }) => event.type === "notice").length, name).toBe(notices.length);
      expect(recording.summary, name).toMatchObject({ over: true, finish, bytes: bytes.length, duration: null });
    }
  });

  it("has at the last frame the text that each call ended with, and a frame for every event", () => {
    for (const { name, bytes } of bodies) {
      const recording = Recording.of([{ bytes, time: NO_TIME }]);
      for (const lane of recording.lanes)
        if (lane.closed !== undefined)
          expect(lane.moment(recording.frames).text, `${name} ${lane.id}`).toBe(lane.closed.argumentsText);
      const all = Array.from({ length: recording.frames }, (_, frame) => recording.eventsOf(frame)).flat();
      expect(all.length, name).toBe(recording.events.length);
    }
  });

  it("cuts frames where the reader does", () => {
    for (const { name, bytes } of bodies) {
      const recording = Recording.of([{ bytes, time: NO_TIME }]);
      for (const { at } of recording.events)
        if (at.start >= 0 && at.end > at.start) expect(recording.frameEnds.at(at.frame), name).toBe(at.end);
    }
  });

  it("knows each moment without going through those before it", () => {
    const recording = recorded(
      chatBody([
        fragment(0, "", "a", "f"),
        fragment(1, "", "b", "g"),
        fragment(0, '{"x"'),
        fragment(1, "[]"),
        fragment(0, ":1}"),
      ]),
    );
    const [first, second] = recording.lanes;
    const texts = (frame: number): unknown => [first, second].map((lane) => lane?.moment(frame).text);
    expect([0, 1, 2, 3, 4].map(texts)).toEqual([
      ["", ""],
      ["", ""],
      ['{"x"', ""],
      ['{"x"', "[]"],
      ['{"x":1}', "[]"],
    ]);
    expect(first?.moment(-1)).toMatchObject({ phase: "before", text: "", parse: "fails" });
    expect(first?.moment(3)).toMatchObject({ phase: "open", newest: 0, now: false, parse: "fails" });
    expect(first?.moment(4)).toMatchObject({ newest: 4, now: true, parse: "parses", fragments: 2 });
    expect(first?.moment(6)).toMatchObject({ phase: "closed", now: false });
  });

  it("keeps what a vendor takes back, at its moment", () => {
    const item = (args: string): object => ({
      id: "i",
      type: "function_call",
      call_id: "c",
      name: "f",
      arguments: args,
    });
    const events = [
      { type: "response.created", response: { id: "r" } },
      { type: "response.output_item.added", output_index: 0, item: item("") },
      { type: "response.function_call_arguments.delta", item_id: "i", output_index: 0, delta: '{"a":1}' },
      { type: "response.output_item.done", output_index: 0, item: item('{"a":2}') },
      { type: "response.completed", response: { id: "r", status: "completed", output: [item('{"a":2}')] } },
    ];
    const recording = recorded(events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(""));
    const [lane] = recording.lanes;
    expect([2, 3].map((frame) => lane?.moment(frame).text)).toEqual(['{"a":1}', '{"a":2}']);
    expect(lane?.moment(3)).toMatchObject({ newest: 0, now: true, parse: "parses" });
  });

  it("has times that start at nothing and never fall", () => {
    const frames = chatBody([{ content: "a" }, { content: "b" }, { content: "c" }], "stop").split(/(?<=\n\n)/);
    const times = [1000, 1200, 1100, 1500, 1500];
    const recording = Recording.of(frames.map((frame, at) => ({ bytes: bytesOf(frame), time: times[at] ?? NO_TIME })));
    expect(Array.from({ length: 5 }, (_, frame) => recording.position(frame, "time"))).toEqual([0, 200, 200, 500, 500]);
    expect(recording.timed).toBe(true);
    expect([-1, 0, 199, 200, 499, 500, 9e9].map((time) => recording.frameAt(time, "time"))).toEqual([
      -1, 0, 0, 2, 2, 4, 4,
    ]);
    expect([-1, 0, 0.9, 3, 99].map((at) => recording.frameAt(at, "frame"))).toEqual([-1, 0, 0, 3, 4]);
    expect(recording.summary.duration).toBe(500);
  });

  it("is the same however the bytes come", () => {
    const body = bytesOf(chatBody([fragment(0, '{"city":"Zürich 🌧"}', "a", "f")]));
    const whole = Recording.of([{ bytes: body, time: NO_TIME }]);
    const bytewise = Recording.of(Array.from(body, (byte) => ({ bytes: Uint8Array.of(byte), time: NO_TIME })));
    expect(bytewise.events).toEqual(whole.events);
    expect(bytewise.bytes.cuts(0, 10).length).toBe(9);
    expect(whole.bytes.cuts(0, 10)).toEqual([]);
  });

  it("cuts a model's raw text behind its words, so that there is something to follow", () => {
    const recording = recorded('<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>');
    expect([recording.protocol, recording.framing]).toEqual(["text", "text"]);
    expect(recording.frames).toBeGreaterThan(4);
    expect(recording.collected.calls).toMatchObject([{ name: "f", status: "complete" }]);
  });

  it("reads nothing out of nothing", () => {
    const recording = recorded("");
    expect([recording.frames, recording.lanes.length, recording.protocol]).toEqual([0, 0, undefined]);
    expect(recording.frameAt(0, "frame")).toBe(-1);
  });

  it("looks at a moment of 50,000 fragments by searching, not by walking", () => {
    const recording = recorded(longBody(50_000));
    const [lane] = recording.lanes;
    const start = performance.now();
    let units = 0;
    for (let frame = 0; frame < 50_000; frame += 5) units += lane?.moment(frame).text.length ?? 0;
    // 10,000 moments, each with a text of up to 400,000 units: reading them again would be gigabytes.
    expect(units).toBeGreaterThan(1e9);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
