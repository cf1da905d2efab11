import { describe, expect, it } from "vitest";
import { bytesOf, CASE_FOLDERS, caseBodies, chatBody, fragment } from "../model/bodies.test-kit.ts";
import { Recording } from "../model/recording.ts";
import { fewest } from "./fewer.ts";
import { findingOf } from "./finding.ts";
import { reduce } from "./reduce.ts";

function recorded(bytes: Uint8Array<ArrayBuffer>): Recording {
  return Recording.of([{ bytes, time: Number.NaN }]);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A response with much in it, and one repeat. */
function faulty(): Uint8Array<ArrayBuffer> {
  const secret = "The password of Ann Example is hunter2";
  return bytesOf(
    chatBody([
      { role: "assistant", content: "" },
      ...secret.split(/(?<= )/).map((content) => ({ content })),
      fragment(0, "", "call_SECRET1", "transfer_money"),
      ...Array.from({ length: 40 }, (_, at) => fragment(0, at === 0 ? '{"iban":"DE02 1203 ' : `x${at}y`)),
      fragment(0, '","amount":5000}'),
      fragment(
        0,
        `{"iban":"DE02 1203 ${Array.from({ length: 39 }, (_, at) => `x${at + 1}y`).join("")}","amount":5000}`,
        "call_SECRET1",
        "transfer_money",
      ),
    ]),
  );
}

describe("a body for a report", () => {
  it("goes wrong in the same way, in a fraction of the frames", async () => {
    const bytes = faulty();
    const { body, frames, redacted, kept } = await reduce(recorded(bytes));
    expect(await findingOf(body, {})).toBe(await findingOf(bytes, {}));
    expect(await findingOf(body, {})).toContain("repeated-call");
    expect(frames.before).toBeGreaterThan(50);
    expect(frames.after).toBeLessThan(8);
    expect(body.length).toBeLessThan(bytes.length / 5);
    expect(redacted).toEqual(expect.arrayContaining(["text", "arguments", "id", "name", "model"]));
    expect(kept).toEqual([]);
  });

  it("says nothing of what was said", async () => {
    const { body } = await reduce(recorded(faulty()));
    expect(textOf(body)).not.toMatch(/hunter|password|Ann|DE02|1203|5000|iban|amount|SECRET|transfer|money/);
  });

  it("is what the library reads without any help", async () => {
    const { body } = await reduce(recorded(faulty()));
    expect(recorded(body).collected.calls).toMatchObject([{ id: "id_2", name: "tool_1", status: "complete" }]);
  });

  it("keeps the finding of every body, however it is framed", async () => {
    const bodies = caseBodies(...CASE_FOLDERS).filter((_, at) => at % 8 === 0);
    expect(bodies.length).toBeGreaterThan(40);
    for (const { name, bytes } of bodies) {
      const { body, frames } = await reduce(recorded(bytes), { maxTrials: 60 });
      expect(await findingOf(body, {}), name).toBe(await findingOf(bytes, {}));
      expect(frames.after, name).toBeLessThanOrEqual(Math.max(1, frames.before));
    }
  });

  it("masks binary messages, and makes their checksums right", async () => {
    const found = caseBodies("cases-wires").find(({ name }) => name === "W001.bedrock.eventstream");
    if (found === undefined) throw new Error("no such body");
    const { body, redacted } = await reduce(recorded(found.bytes));
    expect(redacted).toContain("arguments");
    const reduced = recorded(body);
    expect(reduced.framing).toBe("aws-event-stream");
    expect(reduced.pins.filter(({ event }) => event.type === "notice")).toEqual([]);
    expect(reduced.collected.calls[0]?.argumentsText).not.toBe(recorded(found.bytes).collected.calls[0]?.argumentsText);
  });

  it("stops at its bounds with the smallest body so far, and redacts it all the same", async () => {
    const bytes = faulty();
    const { body, trials, redacted } = await reduce(recorded(bytes), { maxTrials: 3 });
    expect(await findingOf(body, {})).toBe(await findingOf(bytes, {}));
    expect(trials).toBeLessThan(30);
    expect(redacted).toContain("arguments");
    expect(textOf(body)).not.toContain("hunter2");
  });

  it("leaves nothing of an answer that is itself an object, its keys and short words included", async () => {
    const answer = '{"patient":"Ann","status":"hiv_positive","type":"confidential","count":17}';
    const { body, redacted } = await reduce(recorded(bytesOf(chatBody([{ content: answer }], "tool_calls"))));
    expect(redacted).toContain("text");
    for (const word of ["patient", "Ann", "hiv_positive", "confidential", "17}"])
      expect(textOf(body)).not.toContain(word);
  });

  it("can be given up", async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      if (++pauses > 3) throw new Error("left");
    };
    await expect(reduce(recorded(faulty()), { pause })).rejects.toThrow("left");
  });

  it("lets the page breathe within a long body, not only between trials", async () => {
    const long = bytesOf(chatBody(Array.from({ length: 3000 }, () => fragment(0, " ", "call_1", "noop"))));
    let pauses = 0;
    let trialsMade = 0;
    const pause = async (trials: number): Promise<void> => {
      trialsMade = trials;
      if (++pauses === 12) throw new Error("enough");
    };
    await expect(reduce(recorded(long), { pause })).rejects.toThrow("enough");
    expect(trialsMade).toBeLessThan(6);
  });

  it("gives nothing for nothing", async () => {
    const { body, frames } = await reduce(recorded(new Uint8Array()));
    expect([body.length, frames]).toEqual([0, { before: 0, after: 0 }]);
  });
});

describe("fewest", () => {
  const always = async (): Promise<boolean> => true;

  it("finds the few parts that matter", async () => {
    const parts = Array.from({ length: 300 }, (_, at) => at);
    let trials = 0;
    const kept = await fewest(
      parts,
      async (trial) => {
        trials++;
        return [17, 18, 250].every((part) => trial.includes(part));
      },
      always,
    );
    expect(kept).toEqual([17, 18, 250]);
    expect(trials).toBeLessThan(250);
  });

  it("keeps all where all matter", async () => {
    const parts = [1, 2, 3, 4, 5];
    expect(await fewest(parts, async (trial) => trial.length === 5, always)).toEqual(parts);
  });
});
