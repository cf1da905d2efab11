// `read()` takes what the vendors' SDKs yield: the same events as from the bytes, and the same manners.

import { setTimeout as later } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { collect, read, type StreamEvent } from "../index.ts";
import { bodies, CALLS, TEXT } from "./bodies.test-kit.ts";
import { sdks, type SdkProtocol } from "./clients.test-kit.ts";
import { listed, withoutPositions } from "./events.test-kit.ts";
import { broken, loopback, unending, whole } from "./loopback.test-kit.ts";
import { noUnhandledRejections, within } from "./waiting.test-kit.ts";

const server = loopback();
noUnhandledRejections();

const readings = Object.entries(sdks).flatMap(([protocol, list]) =>
  list.map((sdk) => ({ ...sdk, body: bodies[protocol as SdkProtocol] })),
);

/** Google's objects are of classes. */
function plain(object: object): object {
  return JSON.parse(JSON.stringify(object)) as object;
}

const COMPLETE = CALLS.map((call) => ({ ...call, status: "complete" }));

describe.each(readings)("read() of $name", ({ stream, answer, body, keepsConnection }) => {
  const { frames, upToArguments, upToFinish, rawFinish } = body;
  const text = frames.join("");
  const begun = frames.slice(0, upToArguments).join("");

  test("takes a body that the SDK itself understands", async () => {
    const { calls, finish } = await answer(server.at(whole(text)).url);
    const values = calls.map(({ name, text: said, value }) => ({ name, arguments: value ?? JSON.parse(said ?? "") }));
    expect(values).toEqual(CALLS);
    expect(finish).toBe(rawFinish);
  });

  test("gives the events that the bytes give", async () => {
    const { url } = server.at(whole(text));
    const objects = await listed(read(await stream(url)));
    expect(withoutPositions(objects)).toEqual(withoutPositions(await listed(read(await fetch(url)))));
    expect((await collect(objects)).calls).toMatchObject(COMPLETE);
    expect(await collect(objects)).toMatchObject({ text: TEXT, finish: "tool_calls", rawFinish, error: null });
    expect(objects.every(({ at }) => at.start === -1 && at.end === -1)).toBe(true);
    expect(objects.map(({ at }) => at.frame)).toEqual(objects.map(({ at }) => at.frame).toSorted((a, b) => a - b));
  });

  test("sees no irregularity in a sound response", async () => {
    const { notices } = await collect(read(await stream(server.at(whole(text)).url)));
    // The Gemini API gives no ids: that ours are made is said.
    expect(notices.filter(({ code }) => code !== "id-missing")).toEqual([]);
  });

  test("gives the same events where the loop is slower than the SDK", async () => {
    const { url } = server.at(whole(text));
    const objects: StreamEvent[] = [];
    for await (const event of read(await stream(url))) {
      objects.push(event);
      await later(5);
    }
    expect(withoutPositions(objects)).toEqual(withoutPositions(await listed(read(await fetch(url)))));
  });

  test("gives the same events where the loop begins after the response has come", async () => {
    const { url } = server.at(whole(text));
    const events = read(await stream(url));
    await later(60);
    const objects = await within(listed(events), "the reading ended");
    // Anthropic's helpers have put the final counts into the first event by then.
    const countless = (list: StreamEvent[]): object[] => withoutPositions(list.filter(({ type }) => type !== "usage"));
    expect(countless(objects)).toEqual(countless(await listed(read(await fetch(url)))));
  });

  test("gives events that do not change afterwards", async () => {
    const said: string[] = [];
    const objects: StreamEvent[] = [];
    for await (const event of read(await stream(server.at(whole(text, { largest: 50 })).url))) {
      objects.push(event);
      said.push(JSON.stringify(event));
    }
    expect(objects.map((event) => JSON.stringify(event))).toEqual(said);
  });

  test("takes its objects from a list too", async () => {
    const { url } = server.at(whole(text));
    const objects: object[] = [];
    for await (const object of await stream(url)) objects.push(plain(object));
    expect(withoutPositions(await listed(read(objects)))).toEqual(
      withoutPositions(await listed(read(await stream(url)))),
    );
  });

  test("takes the promise of the stream", async () => {
    expect((await collect(read(stream(server.at(whole(text)).url)))).calls).toMatchObject(COMPLETE);
  });

  test("leaving the loop closes the request", async () => {
    const { url, left } = server.at(unending(begun));
    for await (const event of read(await stream(url))) {
      if (event.type === "call.start") break;
    }
    if (!keepsConnection) await within(left, "the server saw the client leave");
  });

  test("a signal ends the reading while the SDK waits for more, and closes the request", async () => {
    const { url, left } = server.at(unending(begun));
    const controller = new AbortController();
    const events: StreamEvent[] = [];
    const reading = (async () => {
      for await (const event of read(await stream(url), { signal: controller.signal })) {
        events.push(event);
        if (event.type === "call.start") setTimeout(() => controller.abort(), 20);
      }
    })();
    await within(reading, "the reading ended");
    expect((await collect(events)).calls).toMatchObject([{ status: "truncated" }]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "cancelled" });
    if (!keepsConnection) await within(left, "the server saw the client leave");
  });

  test("a connection that breaks is an error event, then the finish", async () => {
    const { url } = server.at(broken(begun));
    const events = await within(listed(read(await stream(url))), "the reading ended");
    expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "call.close")).toMatchObject([{ call: { status: "truncated" } }]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "error" });
  });

  test("a server that neither ends nor closes is over after the settling time", async () => {
    const { url, left } = server.at(unending(frames.slice(0, upToFinish).join("")));
    const collected = await within(collect(read(await stream(url), { settleMilliseconds: 40 })), "the reading ended");
    expect(collected.calls).toMatchObject(COMPLETE);
    expect(collected).toMatchObject({ finish: "tool_calls", error: null });
    if (!keepsConnection) await within(left, "the server saw the client leave");
  });

  test("a request that the vendor refuses is an error event, then the finish", async () => {
    const error = { message: "No such key.", type: "invalid_request_error", code: "invalid_api_key" };
    const { url } = server.at(whole(JSON.stringify({ error }), { status: 401, type: "application/json" }));
    const events = await listed(read(stream(url)));
    expect(events.map(({ type }) => type)).toEqual(["error", "finish"]);
    expect(events).toMatchObject([
      { error: { message: expect.stringContaining("No such key.") } },
      { reason: "error" },
    ]);
  });
});

test("reading an SDK's objects prints nothing, though their getters do", async () => {
  const [google] = sdks.gemini;
  const parts = [{ executableCode: { language: "PYTHON", code: "1 + 1" } }, { text: "two" }];
  const chunk = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }], responseId: "resp-1" };
  const { url } = server.at(whole(`data: ${JSON.stringify(chunk)}\n\n`));
  const methods = ["log", "info", "warn", "error", "debug"] as const;
  const spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => {}));
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  expect((await collect(read(google?.stream(url) ?? []))).text).toBe("two");
  expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([]);
});

describe("ids made for calls that have none", () => {
  const ids = async (body: string): Promise<string[]> => {
    const [google] = sdks.gemini;
    const { calls } = await collect(read(google?.stream(server.at(whole(body)).url) ?? []));
    return calls.map(({ id }) => id);
  };
  const text = bodies.gemini.frames.join("");

  test("are the same when the same response is read again", async () => {
    expect(await ids(text)).toEqual(await ids(text));
  });

  test("differ from one response to the next", async () => {
    const both = [...(await ids(text)), ...(await ids(text.replaceAll("resp-1", "resp-2")))];
    expect(new Set(both).size).toBe(4);
  });
});

describe("an error in the stream, which the SDK throws", () => {
  test.each(["openai-chat", "openai-responses", "anthropic"] as const)(
    "%s: keeps the vendor's code",
    async (protocol) => {
      const { frames, upToArguments } = bodies[protocol];
      const error = { type: "overloaded_error", code: "overloaded_error", message: "Overloaded" };
      const frame = `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`;
      const { url } = server.at(whole(frames.slice(0, upToArguments).join("") + frame));
      const [sdk] = sdks[protocol];
      const bytes = await collect(read(await fetch(url)));
      const objects = await collect(read(sdk?.stream(url) ?? []));
      expect(bytes.error).toMatchObject({ code: "overloaded_error", message: "Overloaded" });
      expect(objects.error?.message).toContain("Overloaded");
      expect(objects.error?.code).toBe(bytes.error?.code);
    },
  );
});
