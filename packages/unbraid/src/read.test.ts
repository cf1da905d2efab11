// `read()` takes a response from anywhere: every kind of source gives the same events, and a bad answer is an event too.

import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { collect, read, type Source, type StreamEvent } from "./index.ts";
import { bodies } from "./sdk/bodies.test-kit.ts";
import { listed } from "./sdk/events.test-kit.ts";
import { broken, type Head, loopback, randomPieces, unending, whole } from "./sdk/loopback.test-kit.ts";
import { noUnhandledRejections, within } from "./sdk/waiting.test-kit.ts";

const server = loopback();
noUnhandledRejections();

const { frames } = bodies["openai-chat"];
const text = frames.join("");
const bytes = new TextEncoder().encode(text);
const pieces = [...randomPieces(bytes, 40)];
/** UTF-16 units one by one, so that a surrogate pair is cut too. */
const units = text.split("");

/** Takes the same places as the whole text does, in bytes. */
let expected: StreamEvent[];
const folder = mkdtempSync(join(tmpdir(), "unbraid-read-"));
const file = join(folder, "body.sse");

beforeAll(async () => {
  writeFileSync(file, bytes);
  expected = await listed(read(text));
  expect(expected.at(-1)).toMatchObject({ type: "finish", reason: "tool_calls" });
});

afterAll(() => rmSync(folder, { recursive: true }));

async function* slowly<T>(chunks: Iterable<T>): AsyncGenerator<T> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

function streamOf<T>(chunks: Iterable<T>): ReadableStream<T> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** A stream that gives one chunk and then keeps everybody waiting. */
function endless(chunk: string): ReadableStream<string> {
  return new ReadableStream({ start: (controller) => controller.enqueue(chunk) });
}

function bufferOf(view: Uint8Array): ArrayBuffer {
  return Uint8Array.from(view).buffer;
}

const sources: Record<string, () => Source | PromiseLike<Source>> = {
  "a fetch Response": () => fetch(server.at(whole(text, { largest: 40 })).url),
  "a fetch Response whose body was compressed": () => fetch(server.at(whole(text, { gzip: true, largest: 40 })).url),
  "a Response made of text": () => new Response(text),
  "a Response by its shape alone": () =>
    ({ status: 200, ok: true, headers: new Headers(), body: streamOf(pieces) }) as unknown as Response,
  "a ReadableStream of bytes": () => streamOf(pieces),
  "a ReadableStream of strings": () => streamOf(units),
  "a ReadableStream through a decoder": () => new Blob([text]).stream().pipeThrough(new TextDecoderStream()),
  "a byte stream": () => new Blob([text]).stream(),
  "a Node stream of buffers": () => Readable.from(pieces.map((piece) => Buffer.from(piece))),
  "a Node stream with an encoding": () =>
    Readable.from(
      pieces.map((piece) => Buffer.from(piece)),
      { objectMode: false },
    ).setEncoding("utf8"),
  "a file stream": () => createReadStream(file, { highWaterMark: 17 }),
  "a node:http response": () =>
    new Promise<Readable>((resolve) => get(server.at(whole(text, { largest: 40 })).url, resolve)),
  "an async generator of strings": () => slowly(units),
  "an async generator of buffers": () => slowly(pieces.map((piece) => Buffer.from(piece))),
  "an array of strings": () => [...frames],
  "an array of buffers": () => pieces.map((piece) => Buffer.from(piece)),
  "an array of both": () => [text.slice(0, 400), Buffer.from(text.slice(400))],
  "a Set of chunks": () => new Set([text.slice(0, 100), text.slice(100)]),
  text: () => text,
  "a Uint8Array": () => bytes,
  "a part of a larger buffer": () => Buffer.concat([Buffer.from("xx"), bytes, Buffer.from("yy")]).subarray(2, -2),
  "a DataView": () => new DataView(bufferOf(bytes)) as unknown as Uint8Array,
  "an ArrayBuffer": () => bufferOf(bytes),
  "a list of ArrayBuffers": () => pieces.map(bufferOf),
  "a Blob": () => new Blob([bytes]),
  "a File": () => new File([bytes], "body.sse"),
  "a promise of text": () => Promise.resolve(text),
};

describe("read() takes", () => {
  test.each(Object.entries(sources))("%s", async (_, source) => {
    expect(await within(listed(read(source())), "the reading ended")).toEqual(expected);
  });

  test.each(Object.entries(sources))("%s, with a signal that is never used", async (_, source) => {
    expect(await within(listed(read(source(), { signal: new AbortController().signal })), "it ended")).toEqual(
      expected,
    );
  });

  test("a promise that is not awaited", async () => {
    expect(await listed(read(fetch(server.at(whole(text)).url)))).toEqual(expected);
  });

  test.each([
    ["a number", 42],
    ["null", null],
    ["nothing", undefined],
    ["an object that is no source", {}],
  ])("but not %s, and says what it does take", async (_, source) => {
    const said = await listed(read(source as never)).then(
      (events) => events.map((event) => (event.type === "error" ? event.error.message : "")).join(""),
      (error: unknown) => String(error),
    );
    expect(said).toContain("read() takes");
  });

  test("a body that was read before, as an error", async () => {
    const response = new Response(text);
    await response.text();
    const events = await listed(read(response));
    expect(events.map(({ type }) => type)).toEqual(["error", "finish"]);
  });
});

describe("a body with nothing in it", () => {
  const empty: Record<string, () => Source> = {
    "a null body": () => new Response(null, { status: 204 }),
    "an empty Response": () => new Response(""),
    "empty text": () => "",
    "an empty list": () => [],
    "empty chunks": () => ["", new Uint8Array(0), ""],
    "an empty stream": () => streamOf([]),
    "blank lines": () => "\n\n\n",
    comments: () => ": ping\n\n: ping\n\n",
  };

  test.each(Object.entries(empty))("%s finishes once, without a reason", async (_, source) => {
    const events = await listed(read(source()));
    expect(events.filter(({ type }) => type !== "notice")).toMatchObject([{ type: "finish", reason: null, raw: null }]);
    expect((await collect(events)).calls).toEqual([]);
  });
});

describe("an answer that is an error", () => {
  const json = { type: "application/json" };
  const html = { type: "text/html" };
  const page =
    "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";
  const answers: Record<string, [body: string, head: Head, message: string, code: string | number | null]> = {
    "OpenAI, 401": [
      JSON.stringify(
        {
          error: { message: "Incorrect API key.", type: "invalid_request_error", param: null, code: "invalid_api_key" },
        },
        null,
        2,
      ),
      { status: 401, ...json },
      "Incorrect API key.",
      "invalid_api_key",
    ],
    "Anthropic, 529": [
      JSON.stringify({
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
        request_id: "req_1",
      }),
      { status: 529, ...json },
      "Overloaded",
      "overloaded_error",
    ],
    "Gemini, 400": [
      JSON.stringify({ error: { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT" } }, null, 2),
      { status: 400, ...json },
      "API key not valid.",
      400,
    ],
    "Gemini without alt=sse, 429": [
      JSON.stringify([{ error: { code: 429, message: "Quota exceeded.", status: "RESOURCE_EXHAUSTED" } }], null, 2),
      { status: 429, ...json },
      "Quota exceeded.",
      429,
    ],
    "vLLM, 404": [
      JSON.stringify({
        object: "error",
        message: "The model does not exist.",
        type: "NotFoundError",
        param: null,
        code: 404,
      }),
      { status: 404, ...json },
      "The model does not exist.",
      404,
    ],
    "FastAPI, 422": [JSON.stringify({ detail: "Field required" }), { status: 422, ...json }, "Field required", null],
    "Ollama, 500": [
      JSON.stringify({ error: "model requires more memory" }),
      { status: 500, ...json },
      "model requires more memory",
      null,
    ],
    "an error with status 200": [
      JSON.stringify({ error: { message: "Upstream failed.", code: 502 } }),
      { status: 200, ...json },
      "Upstream failed.",
      502,
    ],
    "an HTML page, 502": [page, { status: 502, ...html }, "Bad Gateway", "not-a-stream"],
    "an HTML page with status 200": [page, { status: 200, ...html }, "Bad Gateway", "not-a-stream"],
    "plain words, 503": [
      "upstream connect error",
      { status: 503, type: "text/plain" },
      "upstream connect error",
      "not-a-stream",
    ],
    "nothing, 500": ["", { status: 500 }, "500", null],
  };

  test.each(Object.entries(answers))(
    "%s: is an error event, then the finish",
    async (_, [body, head, message, code]) => {
      const { url } = server.at(whole(body, { ...head, largest: 20 }));
      const events = (await listed(read(await fetch(url)))).filter(({ type }) => type !== "notice");
      expect(events.map(({ type }) => type)).toEqual(["error", "finish"]);
      expect(events[1]).toMatchObject({ reason: "error", raw: null });
      const { error } = await collect(events);
      expect(error?.message).toContain(message);
      if (code !== null) expect(error?.code).toBe(code);
    },
  );

  test("a status that says error beside a body that is none", async () => {
    const { url } = server.at(whole(text, { status: 500 }));
    const events = await listed(read(await fetch(url)));
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("finish");
  });

  test("a server that cannot be reached", async () => {
    const events = await listed(read(fetch("http://127.0.0.1:1/")));
    expect(events).toMatchObject([
      { type: "error", error: { code: "source" } },
      { type: "finish", reason: "error" },
    ]);
  });

  test("a connection that breaks", async () => {
    const { url } = server.at(broken(frames.slice(0, 4).join("")));
    const events = await listed(read(await fetch(url)));
    expect(events.filter(({ type }) => type === "call.close")).toMatchObject([{ call: { status: "truncated" } }]);
    expect(events.filter(({ type }) => type === "error")).toMatchObject([{ error: { code: "source" } }]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "error" });
  });
});

describe("a server that keeps the connection open after the finish word", () => {
  const finished = frames.slice(0, 9).join("");
  const [, , , , , , , , , usage = ""] = frames;

  test("is over after the settling time, with complete calls", async () => {
    const { url, left } = server.at(unending(finished));
    const result = await within(collect(read(await fetch(url), { settleMilliseconds: 30 })), "the reading ended");
    expect(result.calls.map(({ status }) => status)).toEqual(["complete", "complete"]);
    expect(result).toMatchObject({ finish: "tool_calls", error: null });
    await within(left, "the server saw the client leave");
  });

  test("is over after five seconds where nothing was said about it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let over = false;
    const result = collect(read(endless(finished))).finally(() => (over = true));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(2);
    expect(await result).toMatchObject({ finish: "tool_calls", error: null });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("may still send its usage in that time", async () => {
    const { url } = server.at((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(finished);
      setTimeout(() => response.write(usage), 20);
    });
    const result = await within(collect(read(await fetch(url), { settleMilliseconds: 200 })), "the reading ended");
    expect(result.usage).toMatchObject({ outputTokens: 20 });
  });

  test("is waited for as long as it takes where the time is infinite", async () => {
    const { url } = server.at((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(finished);
      setTimeout(() => response.end(usage), 60);
    });
    const result = await within(collect(read(await fetch(url), { settleMilliseconds: Infinity })), "the reading ended");
    expect(result.usage).toMatchObject({ outputTokens: 20 });
  });

  test("is not cut off before its finish word, however long that takes", async () => {
    const { url } = server.at(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const frame of frames) {
        response.write(frame);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      response.end();
    });
    const result = await collect(read(await fetch(url), { settleMilliseconds: 5_000 }));
    expect(result).toMatchObject({ finish: "tool_calls", error: null });
    const hasty = await collect(read(await fetch(url), { settleMilliseconds: 1 }));
    expect(hasty.calls.map(({ status }) => status)).toEqual(["complete", "complete"]);
  });
});
