// The SDKs of Cohere, Mistral, Ollama, AWS and Google's Interactions read the same bodies over HTTP as we do: those that we
// composed, and the recordings where they are. Their objects handed to `read()` must give what the bytes give.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { collect, read, type Collected, type StreamEvent } from "../index.ts";
import type { SdkAnswer } from "./clients.test-kit.ts";
import { listed, withoutPositions } from "./events.test-kit.ts";
import { loopback, whole } from "./loopback.test-kit.ts";
import { RECORDINGS_ABSENT, recordingsAreHere } from "./recordings.test-kit.ts";
import { type VendorReading, vendors } from "./vendors.test-kit.ts";

/** A body that stands for a sound response or for one that ends badly. */
interface Body {
  readonly file: string;
  readonly protocol: string;
  readonly variant: string | undefined;
  readonly bytes: Buffer;
}

const composedFolder = fileURLToPath(new URL("../../../../conformance/cases-wires/", import.meta.url));
const corpus = fileURLToPath(new URL("../../../../../shared/conformance/corpus/", import.meta.url));

function composed(): Body[] {
  return readdirSync(composedFolder).flatMap((file) => {
    const [name = "", protocol = "", extension] = file.split(".");
    if (!existsSync(`${composedFolder}${name}.expected.json`) || extension === "json" || extension === undefined)
      return [];
    // Of a body in two framings, the SDK speaks the binary one.
    if (protocol === "bedrock" && extension !== "eventstream") return [];
    const { variant } = JSON.parse(readFileSync(`${composedFolder}${name}.expected.json`, "utf8")) as {
      variant?: string;
    };
    return [{ file, protocol, variant, bytes: readFileSync(composedFolder + file) }];
  });
}

function recorded(): Body[] {
  if (!recordingsAreHere) return [];
  return readFileSync(`${corpus}MANIFEST.jsonl`, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { file: string; protocol: string; variant: string })
    .map(({ file, protocol, variant }) => ({ file, protocol, variant, bytes: readFileSync(corpus + file) }));
}

/** Why an SDK gives no answer, or another one. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "W004.bedrock.eventstream": "the SDK throws at a wrong checksum",
  "W005.bedrock.eventstream": "the SDK throws at a wrong checksum",
  "W007.bedrock.eventstream": "the SDK throws at a message that is cut",
  "W011.bedrock.eventstream": "the SDK throws the exception",
  "W012.bedrock.eventstream": "the SDK throws the error",
  "W042.ollama.ndjson": "the SDK throws the error",
};

/** Bodies that the SDK reads well, and whose objects lack what only the bytes say. */
const OTHER_EVENTS: Readonly<Record<string, string>> = {
  "W030.mistral.sse": "the SDK gives calls without an index the index 0",
};

const server = loopback();
const cases = vendors.flatMap((vendor) =>
  [...composed(), ...recorded()]
    .filter(({ protocol, variant }) => protocol === vendor.protocol && vendor.variants.includes(variant))
    .map((body) => ({ vendor, body })),
);

if (!recordingsAreHere) {
  process.stderr.write(`\n${RECORDINGS_ABSENT}\n`);
  test.skip(RECORDINGS_ABSENT);
}

test("every SDK reads some, and every exception is of one", () => {
  const files = cases.map(({ body }) => body.file);
  for (const file of [...Object.keys(EXCEPTIONS), ...Object.keys(OTHER_EVENTS)]) expect(files).toContain(file);
  for (const vendor of vendors)
    expect(cases.filter((one) => one.vendor === vendor).length, vendor.name).toBeGreaterThan(1);
});

describe.each(cases)("$vendor.name on $body.file", ({ vendor, body }) => {
  const exception = EXCEPTIONS[body.file];
  const reply = (): string => server.at(whole(body.bytes, { type: vendor.type })).url;

  test("agrees with us", async () => {
    const ours = await collect(read(await fetch(reply())));
    const theirs = await answerOf(vendor, reply());
    if (theirs instanceof Error) {
      expect(exception, `${vendor.name} gives no answer: ${theirs.message}`).toBeDefined();
      expect(ours.error ?? ours.notices[0]).toBeDefined();
    } else {
      expect(exception).toBeUndefined();
      expect(ourAnswer(ours, theirs)).toEqual(theirAnswer(theirs));
    }
  });

  test("its objects give the same events as the bytes", async () => {
    const bytes = likened(await listed(read(await fetch(reply()), { protocol: vendor.protocol })));
    const objects = likened(await listed(read(vendor.stream(reply()), { protocol: vendor.protocol })));
    expect(objects.at(-1)).toMatchObject({ type: "finish" });
    if (exception === undefined && OTHER_EVENTS[body.file] === undefined) expect(objects).toEqual(bytes);
    else expect(objects, "no exception is needed").not.toEqual(bytes);
  });
});

/** What an error held as it came is spelled by the SDK. */
function likened(events: readonly StreamEvent[]): unknown[] {
  return withoutPositions(events).map((event) =>
    event["type"] === "error" ? { ...event, error: { ...(event["error"] as object), raw: "the vendor's" } } : event,
  );
}

function answerOf(vendor: VendorReading, url: string): Promise<SdkAnswer | Error> {
  return vendor
    .stream(url)
    .then((objects) => vendor.plain(objects))
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}

function meaning(text: string): unknown {
  try {
    return JSON.parse(text.trim() === "" || text.trim() === "null" ? "{}" : text);
  } catch {
    return text;
  }
}

function ourAnswer({ calls, rawFinish }: Collected, { calls: theirs }: SdkAnswer): unknown {
  const comparable = calls.filter(
    ({ kind }) => kind === "function" || kind === "custom" || theirs.some(({ id }) => id !== undefined),
  );
  return {
    calls: comparable
      .filter((call) => theirs.some(({ id }) => id === undefined || id === call.id) || call.kind === "function")
      .map((call, at) => ({
        id: theirs[at]?.id === undefined && call.madeId === true ? undefined : call.id,
        name: call.name,
        said: meaning(call.argumentsText),
      })),
    finish: rawFinish,
  };
}

function theirAnswer({ calls, finish }: SdkAnswer): unknown {
  return {
    // A name ends where a channel token leaked behind it.
    calls: calls.map(({ id, name, text, value }) => ({
      id,
      name: name?.replace(/<\|.*/, ""),
      said: text === undefined ? value : meaning(text),
    })),
    finish,
  };
}
