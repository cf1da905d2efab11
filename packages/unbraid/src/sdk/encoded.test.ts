// The vendors' SDKs read what we write: the calls that they report are those of the events, a failure is never taken for an
// answer, and nothing that is not whole can be run.

import { describe, expect, test } from "vitest";
import { collect, type Collected, type ProtocolName, type StreamEvent, type ToolCall } from "../index.ts";
import { ANTHROPIC_TRAITS } from "../encode/anthropic.ts";
import { GEMINI_TRAITS } from "../encode/gemini.ts";
import { fitIdentifier, originalIdentifier } from "../encode/identifiers.ts";
import {
  encodeAnthropic,
  encodeGemini,
  encodeOllama,
  encodeOpenaiChat,
  encodeOpenaiResponses,
  type EncodeOptions,
  type Encoder,
} from "../encode/index.ts";
import { OLLAMA_TRAITS } from "../encode/ollama.ts";
import { CHAT_TRAITS } from "../encode/openai-chat.ts";
import { RESPONSES_TRAITS } from "../encode/openai-responses.ts";
import { bodyOf, firstResponse } from "../encode/round-trip.test-kit.ts";
import type { WireTraits } from "../encode/wire-encoder.ts";
import { isClientKind } from "../kinds.ts";
import { protocols } from "../protocols/index.ts";
import { eventsOf } from "../protocols/reading.test-kit.ts";
import { fixturesOf } from "../protocols/suite.test-suite.ts";
import { type SdkAnswer, type SdkCall, sdks } from "./clients.test-kit.ts";
import { loopback, whole } from "./loopback.test-kit.ts";
import { vendors } from "./vendors.test-kit.ts";

const server = loopback();

interface Target {
  readonly traits: WireTraits;
  readonly make: (options: EncodeOptions) => Encoder;
  readonly readings: readonly { readonly name: string; readonly answer: (url: string) => Promise<SdkAnswer> }[];
  /** The word of a response whose calls are to be run. */
  readonly calls: string;
}

const ollama = vendors.filter(({ protocol }) => protocol === "ollama");
const targets: readonly Target[] = [
  { traits: CHAT_TRAITS, make: encodeOpenaiChat, readings: sdks["openai-chat"], calls: "tool_calls" },
  { traits: RESPONSES_TRAITS, make: encodeOpenaiResponses, readings: sdks["openai-responses"], calls: "completed" },
  { traits: ANTHROPIC_TRAITS, make: encodeAnthropic, readings: sdks.anthropic, calls: "tool_use" },
  { traits: GEMINI_TRAITS, make: encodeGemini, readings: sdks.gemini, calls: "STOP" },
  {
    traits: OLLAMA_TRAITS,
    make: encodeOllama,
    readings: ollama.map(({ name, stream, plain }) => ({ name, answer: async (url) => plain(await stream(url)) })),
    calls: "stop",
  },
];

const FROM = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const satisfies readonly ProtocolName[];
const bodies = FROM.flatMap((from) =>
  [...fixturesOf(from)].map(([name, body]) => ({
    name: `${from}/${name}`,
    from,
    events: firstResponse(eventsOf(protocols[from], [body])),
  })),
);

/** The client's calls; but one wire carries several choices. */
function clientCalls(answer: Collected, { choices }: WireTraits): ToolCall[] {
  return answer.calls.filter(({ kind, choice }) => isClientKind(kind) && (choice === 0 || choices === true));
}

function valueOf({ text, value }: SdkCall): unknown {
  if (text === undefined) return value;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return `no JSON: ${text}`;
  }
}

/** What an SDK should report of a call. */
function expected(call: ToolCall, { ids, names }: WireTraits, custom: boolean): object {
  const free = custom ? call.argumentsText : { input: call.argumentsText };
  return {
    id: call.madeId === true ? "made" : originalIdentifier(fitIdentifier(call.id, ids)),
    name: originalIdentifier(fitIdentifier(call.name, names)),
    said: call.kind === "custom" ? free : call.arguments,
  };
}

function byJson(a: object, b: object): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Vendors that have free text of their own. */
const CUSTOM = new Set(["openai-chat", "openai-responses"]);

describe.each(targets)("$traits.wire", ({ traits, make, readings, calls: word }) => {
  const writes = (events: readonly StreamEvent[], from: ProtocolName, hold: boolean): string => {
    const encoder = make({ from, hold });
    return server.at(whole(bodyOf(encoder, events), { type: encoder.contentType })).url;
  };

  for (const sdk of readings) {
    test.each(bodies)(`${sdk.name} reads $name`, async ({ from, events }) => {
      const ours = await collect(events);
      const calls = clientCalls(ours, traits);
      const failed = ours.finish === null || ours.finish === "error" || ours.finish === "cancelled";
      // An Anthropic call that its vendor took back was written, and is one of what stands before a fallback.
      const retracted = events.some(({ type }) => type === "call.retract" || type === "call.replace");
      const faulty = retracted || calls.some(({ status }) => status !== "complete");
      const theirs = await sdk.answer(writes(events, from, false)).catch((error: unknown) => error as Error);
      if (failed) {
        if (!(theirs instanceof Error)) expect(theirs.finish === null || theirs.finish === "failed").toBe(true);
        return;
      }
      if (faulty) {
        // No answer at all, or none whose faulty calls can be run.
        if (theirs instanceof Error) return;
        const sound = new Set(calls.filter(({ status }) => status === "complete").map(({ id }) => id));
        const runnable = theirs.finish === word ? theirs.calls.filter((call) => typeof valueOf(call) !== "string") : [];
        if (!retracted && traits.wire !== "gemini" && traits.wire !== "ollama")
          for (const { id } of runnable) expect(sound).toContain(originalIdentifier(id ?? ""));
        return;
      }
      if (theirs instanceof Error) throw theirs;
      const others = new Set(ours.calls.filter(({ kind }) => !isClientKind(kind)).map(({ id }) => id));
      const told = theirs.calls.filter(
        ({ id, vendorsOwn }) => vendorsOwn !== true && !others.has(originalIdentifier(id ?? "")),
      );
      const made = new Set(calls.filter(({ madeId }) => madeId === true).map(({ id }) => id));
      const inOrder = (list: object[]): object[] =>
        traits.order.hold || traits.choices === true ? list.toSorted(byJson) : list;
      const reported = inOrder(
        told.map((call) => ({
          id: call.id === undefined || made.has(call.id) ? "made" : originalIdentifier(call.id),
          name: originalIdentifier(call.name ?? ""),
          said:
            CUSTOM.has(traits.wire) && calls.some(({ id, kind }) => id === call.id && kind === "custom")
              ? call.text
              : valueOf(call),
        })),
      );
      const said = calls.filter(({ kind }) => kind !== "builtin" || from !== traits.wire);
      expect(reported).toEqual(inOrder(said.map((call) => expected(call, traits, CUSTOM.has(traits.wire)))));
      if (ours.finish === "tool_calls" && calls.length > 0) expect(theirs.finish).toBe(word);
    });
  }
});
