// The same faults on OpenAI Responses: whatever keys the deltas, wherever the arguments come whole, however it ends.

import { describe } from "vitest";
import { BOTH, type Brief, defined, family, pieces, type Relative, snapshots, sse } from "./relatives.ts";

const OSLO = '{"city":"Oslo"}';
const ROME = '{"city":"Rome"}';
const [W, R] = ["get_weather", "read_file"];
const none = undefined;

const event = (type: string, fields: object = {}): string =>
  `event: response.${type}\n${sse({ type: `response.${type}`, ...fields })}`;
const item = (key: string, rest: object = {}): Record<string, unknown> =>
  defined({
    type: "function_call",
    id: `fc_${key}`,
    call_id: `call_${key}`,
    name: W,
    arguments: "",
    status: "in_progress",
    ...rest,
  });
const added = (index: unknown, what: object): string =>
  event("output_item.added", defined({ output_index: index, item: what }));
const delta = (index: unknown, id: unknown, text: unknown): string =>
  event("function_call_arguments.delta", defined({ output_index: index, item_id: id, delta: text }));
const argsDone = (index: unknown, id: unknown, text: unknown, rest: object = {}): string =>
  event("function_call_arguments.done", defined({ output_index: index, item_id: id, arguments: text, ...rest }));
const done = (index: unknown, what: object): string =>
  event("output_item.done", defined({ output_index: index, item: what }));
const ended = (status = "completed", output: readonly object[] | undefined = [], rest: object = {}): string =>
  event(status, { response: defined({ id: "resp_1", status, output, ...rest }) });
const created = event("created", { response: { id: "resp_1", model: "m", status: "in_progress", output: [] } });
const cutShort = { incomplete_details: { reason: "max_output_tokens" } };

function over(
  make: (
    text: string,
    fragments: readonly string[],
    add: (what: string, body: string, calls: readonly Brief[], rest?: Partial<Relative>) => void,
  ) => void,
): () => Generator<Relative> {
  return function* () {
    for (const text of [OSLO, '{"f":{"a":{}},"g":[{},{}]}']) {
      for (const size of [1, 3, 99]) {
        const made: Relative[] = [];
        make(text, pieces(text, size), (what, body, calls, rest) =>
          made.push({
            what: `${what}, ${text} in pieces of ${size}`,
            body: created + body,
            calls,
            protocol: "openai-responses",
            ...rest,
          }),
        );
        for (const one of made) for (const tools of BOTH) yield { ...one, tools };
      }
    }
  };
}

const one = (text: string, status?: string): readonly Brief[] => [
  ["call_a", W, text, ...(status === undefined ? [] : [status])] as unknown as Brief,
];
const two = (text: string): readonly Brief[] => [
  ["call_a", W, text],
  ["call_b", R, ROME],
];
/** A whole call in its events. */
const call = (index: unknown, key: string, fragments: readonly string[], rest: object = {}): string => {
  const text = fragments.join("");
  return (
    added(index, item(key, rest)) +
    fragments.map((x) => delta(index, `fc_${key}`, x)).join("") +
    argsDone(index, `fc_${key}`, text) +
    done(index, item(key, { ...rest, arguments: text, status: "completed" }))
  );
};

describe("keys", () => {
  family(
    "of the fragments",
    over((text, p, add) => {
      const whole = item("a", { arguments: text });
      const keyed = (index: unknown, id: unknown): string =>
        p.map((x) => delta(index, id, x)).join("") + argsDone(index, id, text);
      add("index and item", call(0, "a", p) + ended("completed", [whole]), one(text));
      add("item alone", added(0, item("a")) + keyed(none, "fc_a") + done(0, whole) + ended(), one(text));
      add("index alone", added(0, item("a")) + keyed(0, none) + done(0, whole) + ended(), one(text));
      add("the call id as item", added(0, item("a")) + keyed(none, "call_a") + done(0, whole) + ended(), one(text));
      add("none", added(0, item("a")) + keyed(none, none) + done(0, whole) + ended(), one(text));
      add(
        "none anywhere",
        added(none, item("a")) + keyed(none, none) + done(none, whole) + ended("completed", [whole]),
        one(text),
      );
      add(
        "no item ids",
        added(0, item("a", { id: none })) +
          keyed(0, none) +
          done(0, item("a", { id: none, arguments: text })) +
          ended(),
        one(text),
      );
      add(
        "item ids that rotate",
        added(0, item("a", { id: "x0" })) +
          p.map((x, i) => delta(0, `x${i + 1}`, x)).join("") +
          argsDone(0, "x98", text) +
          done(0, item("a", { id: "x99", arguments: text })) +
          ended("completed", [item("a", { id: "x100", arguments: text })]),
        one(text),
      );
      add(
        "another item id from the start",
        added(0, item("a")) + keyed(0, "fc_zz") + done(0, whole) + ended(),
        one(text),
      );
      const b = item("b", { name: R });
      const bDone = item("b", { name: R, arguments: ROME });
      const q = pieces(ROME, p[0]?.length ?? 1);
      add(
        "two calls, none anywhere",
        added(none, item("a")) +
          keyed(none, none) +
          done(none, whole) +
          added(none, b) +
          q.map((x) => delta(none, none, x)).join("") +
          argsDone(none, none, ROME) +
          done(none, bDone) +
          ended(),
        two(text),
      );
      add(
        "two calls, one index, one after another",
        call(0, "a", p) + call(0, "b", q, { name: R }) + ended("completed", [whole, bDone]),
        two(text),
      );
      add("two calls of one tool, one index", call(0, "a", p) + call(0, "b", q) + ended(), [
        ...one(text),
        ["call_b", W, ROME],
      ]);
      add(
        "two calls, one index, both open",
        added(0, item("a")) +
          added(0, b) +
          p.map((x) => delta(0, "fc_a", x)).join("") +
          q.map((x) => delta(0, "fc_b", x)).join("") +
          done(0, whole) +
          done(0, bDone) +
          ended(),
        two(text),
      );
      add(
        "two calls, no index, both open",
        added(none, item("a")) +
          added(none, b) +
          p.map((x) => delta(none, "fc_a", x)).join("") +
          q.map((x) => delta(none, "fc_b", x)).join("") +
          done(none, whole) +
          done(none, bDone) +
          ended(),
        two(text),
      );
      add(
        "two calls that close in another order",
        added(0, item("a")) +
          added(1, b) +
          p.map((x) => delta(0, "fc_a", x)).join("") +
          q.map((x) => delta(1, "fc_b", x)).join("") +
          done(1, bDone) +
          done(0, whole) +
          ended("completed", [whole, bDone]),
        two(text),
      );
    }),
  );
  family(
    "of the calls",
    over((text, p, add) => {
      const whole = item("a", { arguments: text });
      const deltas = p.map((x) => delta(0, "fc_a", x)).join("");
      add(
        "the call id only at the end",
        added(0, item("a", { call_id: none })) + deltas + done(0, whole) + ended("completed", [whole]),
        one(text),
      );
      add(
        "another call id at the end",
        added(0, item("a", { call_id: "tmp" })) +
          deltas +
          argsDone(0, "fc_a", text) +
          done(0, whole) +
          ended("completed", [whole]),
        one(text),
      );
      add(
        "another call id in the final list",
        call(0, "a", p) + ended("completed", [item("zz", { arguments: text })]),
        one(text),
        { dropped: 1 },
      );
      add(
        "the name only at the end",
        added(0, item("a", { name: none })) +
          deltas +
          argsDone(0, "fc_a", text, { name: W }) +
          done(0, whole) +
          ended(),
        one(text),
      );
      add("a blank name at first", added(0, item("a", { name: "" })) + deltas + done(0, whole) + ended(), one(text));
      add("one call id for two calls", call(0, "a", p) + call(1, "b", [ROME], { call_id: "call_a" }) + ended(), [
        ...one(text),
        [null, W, ROME],
      ]);
      add("equal calls under two ids", call(0, "a", p) + call(1, "b", p) + ended(), [
        ...one(text),
        ["call_b", W, text],
      ]);
    }),
  );
});

describe("where the arguments come", () => {
  family(
    "whole or in part",
    over((text, p, add) => {
      const whole = item("a", { arguments: text });
      const deltas = p.map((x) => delta(0, "fc_a", x)).join("");
      const open = added(0, item("a"));
      add("no item done", open + deltas + argsDone(0, "fc_a", text) + ended(), one(text));
      add("no arguments done", open + deltas + done(0, whole) + ended(), one(text));
      add("deltas only", open + deltas + ended(), one(text));
      add("no deltas", open + argsDone(0, "fc_a", text) + done(0, whole) + ended("completed", [whole]), one(text));
      add("item done only", done(0, whole) + ended("completed", [whole]), one(text));
      add("final list only", ended("completed", [whole]), one(text));
      add(
        "final list only, behind a message",
        ended("completed", [
          { type: "message", id: "m", content: [{ type: "output_text", text: "hi" }] },
          whole,
          item("b", { name: R, arguments: ROME }),
        ]),
        two(text),
      );
      add("in the added item", added(0, whole) + argsDone(0, "fc_a", text) + done(0, whole) + ended(), one(text));
      add(
        "in the added item, and in deltas",
        added(0, whole) + deltas + argsDone(0, "fc_a", text) + done(0, whole) + ended(),
        one(text),
      );
      add(
        "{} in the added item",
        added(0, item("a", { arguments: "{}" })) + deltas + done(0, whole) + ended(),
        one(text),
      );
      add(
        "objects",
        added(0, item("a", { arguments: {} })) + done(0, item("a", { arguments: JSON.parse(text) })) + ended(),
        one(text),
      );
      add(
        "the end only in the done text",
        open +
          p
            .slice(0, -1)
            .map((x) => delta(0, "fc_a", x))
            .join("") +
          argsDone(0, "fc_a", text) +
          done(0, whole) +
          ended(),
        one(text),
      );
      add(
        "done text that differs",
        open + deltas + argsDone(0, "fc_a", ROME) + done(0, item("a", { arguments: ROME })) + ended(),
        one(ROME),
        { notices: ["final-disagrees"] },
      );
      add(
        "item done that differs from the done text",
        open + deltas + argsDone(0, "fc_a", text) + done(0, item("a", { arguments: ROME })) + ended(),
        one(ROME),
      );
      add("blank done text", open + deltas + argsDone(0, "fc_a", "") + done(0, item("a")) + ended(), one(text));
      add(
        "{} as done text",
        open + deltas + argsDone(0, "fc_a", "{}") + done(0, item("a", { arguments: "{}" })) + ended(),
        one(text),
      );
      add(
        "ciphertext deltas",
        open +
          delta(0, "fc_a", "gAAAAABx") +
          delta(0, "fc_a", "q==") +
          argsDone(0, "fc_a", text) +
          done(0, whole) +
          ended(),
        one(text),
      );
      add(
        "cumulative deltas",
        open +
          snapshots(text, p[0]?.length ?? 1)
            .map((x) => delta(0, "fc_a", x))
            .join("") +
          argsDone(0, "fc_a", text) +
          done(0, whole) +
          ended(),
        one(text),
      );
      add(
        "cumulative deltas, and no other text",
        open +
          snapshots(OSLO, p[0]?.length ?? 1)
            .map((x) => delta(0, "fc_a", x))
            .join("") +
          ended(),
        one(OSLO),
      );
      add("deltas twice", open + deltas + deltas + argsDone(0, "fc_a", text) + done(0, whole) + ended(), one(text));
      add("fragments first", deltas + open + argsDone(0, "fc_a", text) + done(0, whole) + ended(), one(text));
      add("fragments, no header", deltas + argsDone(0, "fc_a", text) + done(0, whole) + ended(), one(text));
    }),
  );
  family("not at all", () =>
    (function* (): Generator<Relative> {
      for (const args of ["", "{}", none, null]) {
        const a = item("a", { name: "roll_die" });
        const body = created + added(0, a) + argsDone(0, "fc_a", args) + done(0, { ...a, arguments: args });
        yield {
          what: String(args),
          body: body + ended(),
          calls: [["call_a", "roll_die", "{}"]],
          protocol: "openai-responses",
        };
        if (args !== "{}")
          yield {
            what: `${String(args)}, and the response is cut`,
            body: body + ended("incomplete", [], cutShort),
            calls: [["call_a", "roll_die", "", "truncated"]],
            finish: "length",
            protocol: "openai-responses",
          };
      }
    })(),
  );
});

describe("what comes twice", () => {
  family(
    "is one",
    over((text, p, add) => {
      const whole = item("a", { arguments: text });
      const deltas = p.map((x) => delta(0, "fc_a", x)).join("");
      add("a whole call at its index", call(0, "a", p) + call(0, "a", p) + ended(), one(text));
      add("a whole call at another index", call(0, "a", p) + call(1, "a", p) + ended(), one(text));
      add("the header", added(0, item("a")) + added(0, item("a")) + deltas + done(0, whole) + ended(), one(text));
      add("the close", call(0, "a", p) + done(0, whole) + ended("completed", [whole]), one(text));
      add("the end", call(0, "a", p) + ended("completed", [whole]) + ended("completed", [whole]), one(text));
      add(
        "what comes after the end is nothing",
        call(0, "a", p) + ended("completed", [whole]) + call(1, "b", [ROME]),
        one(text),
      );
    }),
  );
});

describe("how it ends", () => {
  family(
    "well, badly, or not",
    over((text, p, add) => {
      const deltas = p.map((x) => delta(0, "fc_a", x)).join("");
      const open = added(0, item("a"));
      const failed = ended("failed", [], { error: { code: "server_error", message: "x" } });
      add("[DONE] too", `${call(0, "a", p) + ended()}data: [DONE]\n\n`, one(text));
      add("[DONE] instead", `${call(0, "a", p)}data: [DONE]\n\n`, one(text));
      add(
        "no output in the end",
        call(0, "a", p) + event("completed", { response: { id: "resp_1", status: "completed" } }),
        one(text),
      );
      add("not: the call was closed", call(0, "a", p), one(text), { finish: null });
      add("not: its text was done", open + deltas + argsDone(0, "fc_a", text), one(text), { finish: null });
      add("not: nothing closed it", open + deltas, one(text, "truncated"), { finish: null });
      add(
        "incomplete, the call closed",
        call(0, "a", p) + ended("incomplete", [item("a", { arguments: text })], cutShort),
        one(text),
        { finish: "length" },
      );
      add(
        "incomplete, the call cut",
        open + delta(0, "fc_a", text.slice(0, 5)) + ended("incomplete", [], cutShort),
        one(text.slice(0, 5), "truncated"),
        { finish: "length" },
      );
      add(
        "incomplete, the item says so",
        open +
          deltas +
          done(0, item("a", { arguments: text, status: "incomplete" })) +
          ended("incomplete", [], cutShort),
        one(text, "truncated"),
        { finish: "length" },
      );
      add(
        "incomplete, the final list says so",
        open + deltas + ended("incomplete", [item("a", { arguments: text, status: "incomplete" })], cutShort),
        one(text, "truncated"),
        { finish: "length" },
      );
      add(
        "filtered",
        call(0, "a", p) + ended("incomplete", [], { incomplete_details: { reason: "content_filter" } }),
        one(text),
        { finish: "content_filter" },
      );
      add("failed, the call open", open + deltas + failed, one(text, "truncated"), { finish: "error" });
      add("failed, the call closed", call(0, "a", p) + failed, one(text), { finish: "error" });
      add(
        "a flat error",
        open + deltas + sse({ type: "error", code: "x", message: "boom", param: null }),
        one(text, "truncated"),
        { finish: "error" },
      );
      add(
        "a nested error",
        open + deltas + sse({ type: "error", error: { type: "t", code: "x", message: "boom" } }) + failed,
        one(text, "truncated"),
        { finish: "error" },
      );
      add(
        "an error without a type",
        open + deltas + sse({ error: { message: "boom", code: 500 } }),
        one(text, "truncated"),
        { finish: "error" },
      );
      add("cancelled", open + deltas + ended("cancelled"), one(text), { finish: "cancelled" });
      add(
        "events that nobody knows",
        event("wow", { x: 1 }) +
          open +
          event("function_call_arguments.wow", { output_index: 0, delta: "zz" }) +
          deltas +
          sse({ type: "keepalive" }) +
          done(0, item("a", { arguments: text })) +
          event("rate", { a: 1 }) +
          ended(),
        one(text),
      );
      add(
        "types in the event field alone",
        (open + deltas + done(0, item("a", { arguments: text })) + ended()).replaceAll(
          /"type":"response\.[a-z_.]+",/g,
          "",
        ),
        one(text),
      );
    }),
  );
});
