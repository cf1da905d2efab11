// The same faults on Anthropic Messages.

import { describe } from "vitest";
import { BOTH, type Brief, defined, family, interleave, pieces, type Relative, snapshots, sse } from "./relatives.ts";

const OSLO = '{"city":"Oslo"}';
const ROME = '{"city":"Rome"}';
const LIMA = '{"city":"Lima"}';
const [W, R] = ["get_weather", "read_file"];
const none = undefined;

const event = (type: string, fields: object = {}): string => `event: ${type}\n${sse({ type, ...fields })}`;
const start = (id = "msg_1", rest: object = {}): string =>
  event("message_start", {
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
      ...rest,
    },
  });
const open = (index: unknown, id: unknown, name: unknown, rest: object = {}): string =>
  event(
    "content_block_start",
    defined({ index, content_block: defined({ type: "tool_use", id, name, input: {}, ...rest }) }),
  );
const json = (index: unknown, text: unknown): string =>
  event("content_block_delta", defined({ index, delta: { type: "input_json_delta", partial_json: text } }));
const stop = (index: unknown): string => event("content_block_stop", defined({ index }));
const text = (index: unknown, words: string): string =>
  event("content_block_start", { index, content_block: { type: "text", text: "" } }) +
  event("content_block_delta", { index, delta: { type: "text_delta", text: words } }) +
  stop(index);
const said = (word: unknown): string =>
  event("message_delta", { delta: { stop_reason: word, stop_sequence: null }, usage: { output_tokens: 9 } });
const over = event("message_stop");
const ended = (word: unknown = "tool_use"): string => said(word) + over;
const failure = event("error", { error: { type: "overloaded_error", message: "x" } });
const call = (index: unknown, id: unknown, name: unknown, fragments: readonly string[]): string =>
  open(index, id, name) + json(index, "") + fragments.map((x) => json(index, x)).join("") + stop(index);

function each(
  make: (
    args: string,
    fragments: readonly string[],
    add: (what: string, body: string, calls: readonly Brief[], rest?: Partial<Relative>) => void,
  ) => void,
): () => Generator<Relative> {
  return function* () {
    for (const args of [OSLO, '{"f":{"a":{}},"g":[{},{}]}']) {
      for (const size of [1, 3, 99]) {
        const made: Relative[] = [];
        make(args, pieces(args, size), (what, body, calls, rest) =>
          made.push({ what: `${what}, ${args} in pieces of ${size}`, body, calls, protocol: "anthropic", ...rest }),
        );
        for (const one of made) for (const tools of BOTH) yield { ...one, tools };
      }
    }
  };
}

const one = (args: string, status?: string): readonly Brief[] => [
  ["t1", W, args, ...(status === undefined ? [] : [status])] as unknown as Brief,
];
const two = (args: string): readonly Brief[] => [
  ["t1", W, args],
  ["t2", R, ROME],
];

describe("indexes", () => {
  family(
    "absent, constant, skipping, wrong",
    each((args, p, add) => {
      const q = pieces(ROME, p[0]?.length ?? 1);
      add("absent", start() + call(none, "t1", W, p) + ended(), one(args));
      add("absent, two calls", start() + call(none, "t1", W, p) + call(none, "t2", R, q) + ended(), two(args));
      add("constant", start() + call(0, "t1", W, p) + call(0, "t2", R, q) + ended(), two(args));
      add(
        "constant, three of one tool",
        start() + call(0, "t1", W, p) + call(0, "t2", W, [ROME]) + call(0, "t3", W, [LIMA]) + ended(),
        [...one(args), ["t2", W, ROME], ["t3", W, LIMA]],
      );
      add("constant, equal calls", start() + call(0, "t1", W, p) + call(0, "t2", W, p) + ended(), [
        ...one(args),
        ["t2", W, args],
      ]);
      add(
        "constant, no stops",
        start() +
          open(0, "t1", W) +
          p.map((x) => json(0, x)).join("") +
          open(0, "t2", R) +
          q.map((x) => json(0, x)).join("") +
          ended(),
        two(args),
      );
      add("constant, behind text", start() + text(0, "x") + call(0, "t1", W, p) + ended(), one(args));
      add("in digits", start() + call("0", "t1", W, p) + ended(), one(args));
      add("from 1", start() + call(1, "t1", W, p) + call(2, "t2", R, q) + ended(), two(args));
      add("skipping", start() + call(3, "t1", W, p) + call(9, "t2", R, q) + ended(), two(args));
      add(
        "blocks in turns",
        start() +
          open(0, "t1", W) +
          open(1, "t2", R) +
          interleave([p.map((x) => json(0, x)), q.map((x) => json(1, x))])
            .flat()
            .join("") +
          stop(1) +
          stop(0) +
          ended(),
        two(args),
      );
      add(
        "fragments at another index, one block open",
        start() + open(1, "t1", W) + p.map((x) => json(0, x)).join("") + stop(1) + ended(),
        one(args),
      );
      add(
        "fragments without index",
        start() + open(0, "t1", W) + p.map((x) => json(none, x)).join("") + stop(0) + ended(),
        one(args),
      );
    }),
  );
});

describe("identity", () => {
  family(
    "ids that are absent, shared, repeated",
    each((args, p, add) => {
      for (const id of [none, "", " ", null, "null"])
        add(`${JSON.stringify(id)} twice`, start() + call(0, id, W, p) + call(1, id, W, p) + ended(), [
          [null, W, args],
          [null, W, args],
        ]);
      add("shared by two calls", start() + call(0, "t1", W, p) + call(1, "t1", W, [ROME]) + ended(), [
        ...one(args),
        [null, W, ROME],
      ]);
      add("shared by two calls at one index", start() + call(0, "t1", W, p) + call(0, "t1", W, [ROME]) + ended(), [
        ...one(args),
        [null, W, ROME],
      ]);
      add("shared by two tools", start() + call(0, "t1", W, p) + call(1, "t1", R, [ROME]) + ended(), [
        ...one(args),
        [null, R, ROME],
      ]);
      add(
        "shared by two tools, no stop between",
        start() + open(0, "t1", W) + p.map((x) => json(0, x)).join("") + open(1, "t1", R) + json(1, ROME) + ended(),
        [...one(args), [null, R, ROME]],
      );
      add("a block twice", start() + call(0, "t1", W, p) + call(0, "t1", W, p) + ended(), one(args));
      add("a block twice, at another index", start() + call(0, "t1", W, p) + call(1, "t1", W, p) + ended(), one(args));
      add(
        "a start twice",
        start() + open(0, "t1", W) + open(0, "t1", W) + p.map((x) => json(0, x)).join("") + stop(0) + ended(),
        one(args),
      );
      add("a stop twice", start() + call(0, "t1", W, p) + stop(0) + ended(), one(args));
      add(
        "fragments before the start",
        start() + p.map((x) => json(0, x)).join("") + open(0, "t1", W) + stop(0) + ended(),
        one(args),
      );
    }),
  );
  family(
    "messages that begin anew",
    each((args, p, add) => {
      const fallback =
        event("content_block_start", { index: 1, content_block: { type: "fallback", from: "x", to: "y" } }) + stop(1);
      add("without a start", call(0, "t1", W, p) + ended(), one(args));
      add("the same message", start() + start() + call(0, "t1", W, p) + ended(), one(args));
      add(
        "the same message, amid a call",
        start() + open(0, "t1", W) + start() + p.map((x) => json(0, x)).join("") + stop(0) + ended(),
        one(args),
      );
      add(
        "another message, amid a call",
        start() + open(0, "t9", W) + json(0, p[0]) + start("msg_2") + call(0, "t1", W, p) + ended(),
        one(args),
        { dropped: 1 },
      );
      add(
        "another message, after a call",
        start() + call(0, "t9", R, p) + start("msg_2") + call(0, "t1", W, p) + ended(),
        one(args),
        { dropped: 1 },
      );
      add(
        "another message, with the same call",
        start() + call(0, "t1", W, p) + start("msg_2") + call(0, "t1", W, p) + ended(),
        one(args),
        { dropped: 1 },
      );
      add(
        "fallback after a call",
        start() + call(0, "t9", R, p) + fallback + call(2, "t1", W, p) + ended(),
        one(args),
        { dropped: 1 },
      );
      add("fallback to text", start() + call(0, "t9", R, p) + fallback + text(2, "x") + ended("end_turn"), [], {
        finish: "stop",
        dropped: 1,
      });
    }),
  );
});

describe("arguments", () => {
  family(
    "wherever and however they come",
    each((args, p, add) => {
      const value: unknown = JSON.parse(args);
      const deltas = p.map((x) => json(0, x)).join("");
      add("in the start", start() + open(0, "t1", W, { input: value }) + stop(0) + ended(), one(args));
      add(
        "in the start, and in deltas",
        start() + open(0, "t1", W, { input: value }) + deltas + stop(0) + ended(),
        one(args),
      );
      add("as text in the start", start() + open(0, "t1", W, { input: args }) + stop(0) + ended(), one(args));
      for (const nothing of ["", null, none, "{}"])
        add(
          `${JSON.stringify(nothing)} in the start`,
          start() + open(0, "t1", W, { input: nothing }) + deltas + stop(0) + ended(),
          one(args),
        );
      add("{} as the first delta", start() + open(0, "t1", W) + json(0, "{}") + deltas + stop(0) + ended(), one(args));
      add("as an object", start() + open(0, "t1", W) + json(0, value) + stop(0) + ended(), one(args));
      add(
        "cumulative",
        start() +
          open(0, "t1", W) +
          snapshots(OSLO, p[0]?.length ?? 1)
            .map((x) => json(0, x))
            .join("") +
          stop(0) +
          ended(),
        one(OSLO),
      );
      add("twice", start() + open(0, "t1", W) + deltas + deltas + stop(0) + ended(), one(args));
      add(
        "with control tokens",
        start() + open(0, "t1", W) + deltas + json(0, "</invoke>") + stop(0) + ended(),
        one(args),
      );
      add(
        "as a JSON string",
        start() +
          open(0, "t1", W) +
          pieces(JSON.stringify(args), p[0]?.length ?? 1)
            .map((x) => json(0, x))
            .join("") +
          stop(0) +
          ended(),
        one(args),
      );
      add(
        "in message_start",
        start("msg_1", { content: [{ type: "tool_use", id: "t1", name: W, input: value }], stop_reason: "tool_use" }) +
          over,
        one(args),
      );
      add(
        "in message_start, and the body ends",
        start("msg_1", { content: [{ type: "tool_use", id: "t1", name: W, input: value }], stop_reason: "tool_use" }),
        one(args),
      );
      add(
        "in message_start, and in blocks",
        start("msg_1", { content: [{ type: "tool_use", id: "t1", name: W, input: value }] }) +
          call(0, "t1", W, p) +
          ended(),
        one(args),
      );
      add(
        "as text deltas",
        start() +
          open(0, "t1", W) +
          p.map((x) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text: x } })).join("") +
          stop(0) +
          ended(),
        one(args),
      );
      add("late, after the stop", start() + open(0, "t1", W) + deltas + stop(0) + json(0, "x") + ended(), one(args), {
        notices: ["late-fragment"],
      });
      add(
        "invalid",
        start() + open(0, "t1", W) + json(0, '{"city": Oslo}') + stop(0) + ended(),
        one('{"city": Oslo}', "malformed"),
      );
      add(
        "cut, though it says tool_use",
        start() + open(0, "t1", W) + json(0, '{"city": "Osl') + stop(0) + ended(),
        one('{"city": "Osl', "truncated"),
      );
    }),
  );
  family("not at all", function* () {
    for (const deltas of ["", json(0, ""), json(0, "{}"), json(0, "null")]) {
      yield {
        what: JSON.stringify(deltas),
        body: start() + open(0, "t1", "roll_die") + deltas + stop(0) + ended(),
        calls: [["t1", "roll_die", "{}"]],
        protocol: "anthropic",
      };
    }
  });
});

describe("how it ends", () => {
  family(
    "well, badly, or not",
    each((args, p, add) => {
      const closed = start() + call(0, "t1", W, p);
      const unclosed = start() + open(0, "t1", W) + p.map((x) => json(0, x)).join("");
      for (const word of ["tool_use", "end_turn", "stop_sequence", "a_new_word"]) {
        add(word, closed + ended(word), one(args));
        add(`${word}, no message_stop`, closed + said(word), one(args));
        add(`${word}, the block not stopped`, unclosed + ended(word), one(args));
      }
      add("no message_delta", closed + over, one(args));
      add("[DONE] instead of message_stop", `${closed + said("tool_use")}data: [DONE]\n\n`, one(args));
      add("not: the block was stopped", closed, one(args), { finish: null });
      add("not: it was not", unclosed, one(args, "truncated"), { finish: null });
      add("an error, the block stopped", closed + failure, one(args), { finish: "error" });
      add("an error, the block open", unclosed + failure, one(args, "truncated"), { finish: "error" });
      add("an error, then the end", unclosed + failure + ended(), one(args, "truncated"), { finish: "error" });
      add("max_tokens, the block whole", closed + ended("max_tokens"), one(args), { finish: "length" });
      add(
        "max_tokens, the block cut and stopped",
        start() + open(0, "t1", W) + json(0, args.slice(0, 5)) + stop(0) + ended("max_tokens"),
        one(args.slice(0, 5), "truncated"),
        { finish: "length" },
      );
      add(
        "max_tokens, the block blank and stopped",
        start() + open(0, "t1", W) + stop(0) + ended("max_tokens"),
        one("", "truncated"),
        { finish: "length" },
      );
      add("refusal", closed + ended("refusal"), one(args), { finish: "content_filter" });
      add(
        "pings",
        start() +
          event("ping") +
          open(0, "t1", W) +
          p.map((x) => json(0, x) + event("ping")).join("") +
          stop(0) +
          ended(),
        one(args),
      );
      add("no event fields", (closed + ended()).replaceAll(/event: .*\n/g, ""), one(args));
      add(
        "types in the event field alone",
        (closed + ended()).replaceAll(/"type":"(?:message_start|content_block_\w+|message_delta|message_stop)",?/g, ""),
        one(args),
      );
      add(
        "a server's call",
        start() +
          open(0, "s1", "web_search", { type: "server_tool_use" }) +
          p.map((x) => json(0, x)).join("") +
          stop(0) +
          ended("pause_turn"),
        [["s1", "web_search", args, "complete/server"]],
        { finish: "stop" },
      );
      add(
        "an MCP call",
        start() +
          open(0, "m1", "q", { type: "mcp_tool_use", server_name: "s" }) +
          p.map((x) => json(0, x)).join("") +
          stop(0) +
          ended("end_turn"),
        [["m1", "q", args, "complete/mcp"]],
        { finish: "stop" },
      );
    }),
  );
});
