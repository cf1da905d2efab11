// The vendors' own SDKs and we read the same recordings of real responses over HTTP and must agree call for call. Where
// they differ, the recording's own answer decides, and the reason stands in a table.

import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { collect, type Collected, read, type StreamEvent } from "../index.ts";
import { sdks, type SdkAnswer, type SdkCall, type SdkProtocol, type SdkReading } from "./clients.test-kit.ts";
import { listed, withoutPositions } from "./events.test-kit.ts";
import { loopback, whole } from "./loopback.test-kit.ts";
import { type Expected, recordings, RECORDINGS_ABSENT, recordingsAreHere } from "./recordings.test-kit.ts";

/** Why an SDK gives another answer than we do, or none. */
interface Exception {
  readonly sdk: RegExp;
  readonly when: (expected: Expected) => boolean;
  readonly because: string;
  /** True where the SDK throws, so that its objects cannot give the events either. */
  readonly throws?: true;
}

/** Only what the recording says of itself decides; none is named. */
const EXCEPTIONS: readonly Exception[] = [
  {
    sdk: /^openai\./,
    when: ({ error }) => error !== undefined,
    because: "the wire carries an error: the SDK throws it, we say it and finish",
    throws: true,
  },
  {
    sdk: /chat\.completions\.stream/,
    when: ({ finish, error }) => finish === null && error === undefined,
    because: "the SDK's helper rejects a response without a finish word; we give its calls",
    throws: true,
  },
  {
    sdk: /chat\.completions\.stream/,
    when: ({ oracle }) => /^manual|rejected/.test(oracle),
    because: "the SDK's helper rejects indexes or orders that are not OpenAI's own; a plain reading gives the calls",
    throws: true,
  },
  {
    sdk: /chat\.completions\.stream/,
    when: ({ finishAll }) => finishAll !== undefined && finishAll.length > 1,
    because: "the SDK's helper gives the last finish word, we give the first",
  },
  {
    sdk: /responses\.stream/,
    when: ({ disagreements }) => disagreements.some(({ got }) => Array.isArray(got) && got.length === 0),
    because: "the SDK's helper believes the empty output of response.completed and forgets the items that were done",
  },
  {
    sdk: /responses\.stream/,
    when: ({ disagreements }) =>
      disagreements.some(({ error }) => error?.startsWith("Unhandled response stream event")),
    because: "the SDK's helper throws at events that it does not know",
    throws: true,
  },
  {
    sdk: /messages\.stream/,
    when: ({ calls }) => calls.some(({ complete }) => !complete),
    because: "the SDK's helper gives the value so far of a call that was cut short; we give no arguments",
  },
  {
    sdk: /^anthropic\.messages\.stream/,
    when: ({ disagreements }) => disagreements.some(({ oracle }) => oracle.endsWith("MessageStream (GA)")),
    because: "the SDK's helper of the plain API passes over the input of MCP calls; the beta helper does not",
  },
];

/** Where the SDK's objects cannot give the events that the bytes give. */
const OTHER_EVENTS: readonly Exception[] = [
  ...EXCEPTIONS.filter(({ throws }) => throws),
  {
    sdk: /chat\.completions\.create/,
    when: ({ finish, error }) => finish === null && error === undefined,
    because: "without a finish word only [DONE] says that the response is whole, and the SDK keeps that to itself",
  },
];

const server = loopback();
const used = new Set<Exception>();

interface Figures {
  agree: number;
  differ: number;
  none: number;
}

const figures = new Map<string, Figures>();

if (!recordingsAreHere) {
  process.stderr.write(`\n${RECORDINGS_ABSENT}\n`);
  test.skip(RECORDINGS_ABSENT);
}

describe.runIf(recordingsAreHere)("on the recordings", () => {
  for (const { file, protocol, body, expected } of recordings()) {
    // Our reading of the bytes, once for all SDKs.
    let reading: Promise<StreamEvent[]> | undefined;
    const events = (url: string): Promise<StreamEvent[]> =>
      (reading ??= fetch(url).then((answer) => listed(read(answer))));

    for (const sdk of sdks[protocol]) {
      test(`${sdk.name} and we agree on ${file}`, async () => {
        const { url } = server.at(whole(body, { largest: 1 + body.length / 10 }));
        const ours = await collect(await events(url));
        const exception = exceptionFor(EXCEPTIONS, sdk, expected);
        const figure = figures.get(sdk.name) ?? { agree: 0, differ: 0, none: 0 };
        figures.set(sdk.name, figure);
        const theirs = await sdk.answer(url).catch((error: unknown) => error as Error);
        if (theirs instanceof Error) {
          figure.none++;
          expect(exception?.because, `${sdk.name} gives no answer: ${theirs.message}`).toBeDefined();
        } else if (exception === undefined || differ(ours, theirs, protocol) === undefined) {
          figure.agree++;
          expect(differ(ours, theirs, protocol)).toBeUndefined();
          return;
        } else {
          figure.differ++;
        }
        if (exception !== undefined) used.add(exception);
        expect(differ(ours, recorded(expected), protocol)).toBeUndefined();
      });

      test(`read() of ${sdk.name} gives the same events on ${file}`, async () => {
        const { url } = server.at(whole(body, { largest: 1 + body.length / 10 }));
        const bytes = withoutPositions(await events(url));
        const objects = withoutPositions(await listed(read(await sdk.stream(url))));
        const exception = exceptionFor(OTHER_EVENTS, sdk, expected);
        if (exception === undefined || isDeepStrictEqual(objects, bytes)) {
          expect(objects).toEqual(bytes);
        } else {
          used.add(exception);
          expect(objects.filter(({ type }) => type === "finish")).toHaveLength(1);
          expect(objects.at(-1)?.["type"]).toBe("finish");
        }
      });
    }
  }

  test("every exception has a recording that needs it", () => {
    for (const exception of [...EXCEPTIONS, ...OTHER_EVENTS]) expect(used, exception.because).toContain(exception);
  });

  afterAll(() => {
    if (process.env["UNBRAID_FIGURES"] !== undefined)
      process.stdout.write(`${JSON.stringify([...figures], null, 1)}\n`);
  });
});

function exceptionFor(table: readonly Exception[], sdk: SdkReading, expected: Expected): Exception | undefined {
  return table.find((each) => each.sdk.test(sdk.name) && each.when(expected));
}

/** The recording's own answer, as an SDK would give it. */
function recorded({ calls, finish }: Expected): SdkAnswer {
  return {
    calls: calls.map(({ id, name, arguments: value, argumentsText, kind }) => ({
      id: id ?? undefined,
      name,
      ...(value === null ? { text: argumentsText ?? "" } : { value }),
      ...(VENDORS_OWN.has(kind) ? { vendorsOwn: true as const } : {}),
    })),
    finish,
  };
}

/** Tools whose input has no one spelling. */
const VENDORS_OWN = new Set(["server", "client_builtin"]);

/** The first difference, or undefined. */
function differ(ours: Collected, theirs: SdkAnswer, protocol: SdkProtocol): string | undefined {
  // What these vendors run themselves stands beside their calls, in fields that no SDK calls a call.
  const comparable = ours.calls.filter(({ kind }) => kind !== "server" || !FUNCTIONS_ONLY.has(protocol));
  const called = theirs.calls.filter(({ vendorsOwn }) => vendorsOwn !== true || !FUNCTIONS_ONLY.has(protocol));
  const mine = comparable.map((call, at) => {
    const like = called[at];
    const id = call.madeId === true && !like?.id ? "made" : call.id;
    if (like?.vendorsOwn === true) return { id };
    return { id, name: call.name, said: like?.text === undefined ? call.arguments : meaning(call.argumentsText) };
  });
  const other = called.map(({ id, name, text, value, vendorsOwn }: SdkCall) =>
    vendorsOwn === true
      ? { id: id || "made" }
      : { id: id || "made", name, said: text === undefined ? value : meaning(text) },
  );
  const [a, b] = [
    canonical({ calls: mine, finish: ours.rawFinish }),
    canonical({ calls: other, finish: theirs.finish }),
  ];
  return a === b ? undefined : `we: ${a}\nSDK: ${b}`;
}

const FUNCTIONS_ONLY = new Set<SdkProtocol>(["openai-chat", "gemini"]);

/** Blank text and `null` mean no arguments, once a response has ended well. */
function meaning(text: string): string {
  return text.trim() === "" || text.trim() === "null" ? "{}" : text;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, held: unknown) =>
    typeof held === "object" && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );
}
