// How a chat response ends, fails, and what else stands in its chunks.

import { describe } from "vitest";
import { BOTH, type Brief, chat, chunk, defined, ended, entry, family, full, type Relative, sse } from "./relatives.ts";

const OSLO = '{"city":"Oslo"}';
const ROME = '{"city":"Rome"}';
const [W, R] = ["get_weather", "read_file"];
const none = undefined;
const header = [entry(0, "a", W, "")];
const fragment = [entry(0, none, none, OSLO)];
const right: readonly Brief[] = [["a", W, OSLO]];
const cut: readonly Brief[] = [["a", W, OSLO, "truncated"]];
const usage = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
};

function* withTools(relatives: Iterable<Relative>): Generator<Relative> {
  for (const one of relatives) for (const tools of BOTH) yield { ...one, tools };
}

describe("finish words", () => {
  function* well(): Generator<Relative> {
    for (const word of [
      "tool_calls",
      "stop",
      "function_call",
      "tool_call",
      "tool_use",
      "TOOL_CALLS",
      "Stop",
      "eos",
      "eos_token",
      "stop_sequence",
      "end_turn",
      "a_new_word",
    ]) {
      yield { what: word, body: chat(header, fragment, ended(word), "[DONE]"), calls: right };
      yield { what: `${word}, no [DONE]`, body: chat(header, fragment, ended(word)), calls: right };
      yield {
        what: `${word} with the last fragment`,
        body: chat(header, chunk(fragment, { finish: word }), "[DONE]"),
        calls: right,
      };
      yield {
        what: `${word} with the whole call`,
        body: chat(chunk([entry(0, "a", W, OSLO)], { finish: word }), "[DONE]"),
        calls: right,
      };
      yield {
        what: `${word} before the text`,
        body: chat(chunk(header, { finish: word }), fragment, "[DONE]"),
        calls: right,
      };
      yield { what: `${word} before the call`, body: chat(ended(word), header, fragment, "[DONE]"), calls: right };
      yield {
        what: `${word} amid the text`,
        body: chat(
          header,
          [entry(0, none, none, OSLO.slice(0, 5))],
          ended(word),
          [entry(0, none, none, OSLO.slice(5))],
          "[DONE]",
        ),
        calls: right,
      };
      yield {
        what: `${word} twice`,
        body: chat(header, fragment, ended(word), ended(word), "[DONE]"),
        calls: right,
      };
      yield { what: `${word}, then usage`, body: chat(header, fragment, ended(word), usage, "[DONE]"), calls: right };
    }
  }
  family("that let the calls run", () => withTools(well()));

  function* badly(): Generator<Relative> {
    for (const word of [
      "length",
      "content_filter",
      "error",
      "cancelled",
      "max_tokens",
      "model_length",
      "safety",
      "insufficient_system_resource",
    ]) {
      const finish =
        {
          max_tokens: "length",
          model_length: "length",
          safety: "content_filter",
          insufficient_system_resource: "error",
        }[word] ?? word;
      const whole: readonly Brief[] = finish === "error" ? cut : right;
      yield {
        what: `${word}, the call whole`,
        body: chat(header, fragment, ended(word), "[DONE]"),
        calls: whole,
        finish,
      };
      yield {
        what: `${word}, the call cut`,
        body: chat(header, [entry(0, none, none, OSLO.slice(0, 9))], ended(word), "[DONE]"),
        calls: [["a", W, OSLO.slice(0, 9), "truncated"]],
        finish,
      };
      yield {
        what: `${word}, no text`,
        body: chat(header, ended(word), "[DONE]"),
        calls: [["a", W, "", "truncated"]],
        finish,
      };
      yield {
        what: `${word}, null`,
        body: chat([entry(0, "a", W, "null")], ended(word), "[DONE]"),
        calls: [["a", W, "null", "truncated"]],
        finish,
      };
      yield {
        what: `tool_calls, then ${word}`,
        body: chat(header, fragment, ended(), ended(word), "[DONE]"),
        calls: right,
        finish,
      };
      yield {
        what: `${word}, then tool_calls`,
        body: chat(header, fragment, ended(word), ended(), "[DONE]"),
        calls: whole,
        finish,
      };
    }
  }
  family("that do not", () => withTools(badly()));

  family("that are none", function* () {
    for (const word of ["", " ", null, "null", "None"]) {
      yield {
        what: `${JSON.stringify(word)}, then the end`,
        body: chat(header, fragment, ended(word)),
        calls: cut,
        finish: null,
        notices: ["unterminated-stream"],
      };
      yield {
        what: `${JSON.stringify(word)}, then [DONE]`,
        body: chat(header, fragment, ended(word), "[DONE]"),
        calls: right,
        notices: ["finish-missing"],
      };
      yield {
        what: `${JSON.stringify(word)} on each chunk`,
        body: chat(chunk(header, { finish: word }), chunk(fragment, { finish: word })),
        calls: cut,
        finish: null,
      };
    }
  });
});

describe("[DONE]", () => {
  family("and what stands around it", function* () {
    const before = chat(header, fragment, ended());
    const late = chat([entry(1, "b", R, ROME)]);
    yield { what: "absent", body: before, calls: right };
    yield { what: "alone", body: chat(header, fragment, "[DONE]"), calls: right, notices: ["finish-missing"] };
    for (const done of [
      "data: [DONE]\n\n",
      "data:[DONE]\n\n",
      "data:  [DONE] \n\n",
      "data: [DONE]\n",
      "data: [DONE]",
      "event: done\ndata: [DONE]\n\n",
      "data: [DONE]\n\ndata: [DONE]\n\n",
    ]) {
      yield { what: JSON.stringify(done), body: before + done, calls: right };
      if (done.endsWith("\n\n"))
        yield { what: `${JSON.stringify(done)}, and a late call`, body: before + done + late, calls: right };
    }
    yield {
      what: "glued to the last chunk",
      body: `${chat(header, fragment)}data: ${JSON.stringify(ended())}[DONE]\n\n`,
      calls: right,
    };
    yield {
      what: "on the next line of the last event",
      body: `${chat(header, fragment)}data: ${JSON.stringify(ended())}\ndata: [DONE]\n\n`,
      calls: right,
    };
  });
});

describe("errors in the stream", () => {
  const error = { error: { code: "overloaded", message: "too busy" } };
  const failures: readonly (readonly [string, string])[] = [
    ["an object", sse(error)],
    ["a text", sse({ error: "boom" })],
    [
      "OpenRouter's",
      sse({
        error: { code: 502, message: "x" },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      }),
    ],
    ["an event", `event: error\n${sse(error)}`],
    ["an event with a bare message", 'event: error\ndata: {"message":"boom","code":5}\n\n'],
    ["an event with words", "event: error\ndata: boom\n\n"],
    ["vLLM's old one", sse({ object: "error", message: "boom", type: "InternalServerError", param: null, code: 500 })],
    ["a detail", sse({ detail: "boom" })],
    [
      "inside a choice",
      sse({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: {}, error: { code: 502, message: "x" }, finish_reason: "error" }],
      }),
    ],
  ];
  family("end the response, and nothing runs", function* () {
    for (const [what, failure] of failures) {
      yield { what, body: chat(header, fragment) + failure, calls: cut, finish: "error" };
      yield {
        what: `${what}, then [DONE]`,
        body: `${chat(header, fragment) + failure}data: [DONE]\n\n`,
        calls: cut,
        finish: "error",
      };
      yield {
        what: `${what}, then a finish word`,
        body: chat(header, fragment) + failure + chat(ended(), "[DONE]"),
        calls: cut,
        finish: "error",
      };
      yield {
        what: `${what}, after the finish word`,
        body: `${chat(header, fragment, ended()) + failure}data: [DONE]\n\n`,
        calls: right,
        finish: "error",
      };
      yield { what: `${what}, alone`, body: failure, calls: [], finish: "error" };
    }
  });
  family("that are none", function* () {
    for (const value of [null, "", false])
      yield {
        what: JSON.stringify(value),
        body: chat(header, chunk(fragment, { top: { error: value } }), ended(), "[DONE]"),
        calls: right,
      };
  });
});

describe("what else stands in chunks", () => {
  function* noise(): Generator<Relative> {
    yield {
      what: "content beside the call",
      body: chat(chunk(header, { content: "hi" }), chunk(fragment, { content: " there" }), ended(), "[DONE]"),
      calls: right,
    };
    yield {
      what: "content amid the arguments",
      body: full(header, [entry(0, none, none, OSLO.slice(0, 4))], chunk(none, { content: "x" }), [
        entry(0, none, none, OSLO.slice(4)),
      ]),
      calls: right,
    };
    yield {
      what: "a role on each chunk",
      body: full(chunk(header, { role: "assistant" }), chunk(fragment, { role: "assistant", content: "" })),
      calls: right,
    };
    yield {
      what: "empty lists of calls",
      body: full(chunk([], { content: "" }), header, chunk([]), fragment, chunk([])),
      calls: right,
    };
    yield { what: "null instead of a list", body: full(chunk(null), header, chunk(null), fragment), calls: right };
    yield {
      what: "usage: null",
      body: full(chunk(header, { top: { usage: null } }), chunk(fragment, { top: { usage: null } })),
      calls: right,
    };
    yield {
      what: "entries that are no objects",
      body: full(chunk([null, ...header, 5]), chunk(["x", {}, ...fragment])),
      calls: right,
    };
    yield { what: "an object instead of a list", body: full(chunk(header[0]), chunk(fragment[0])), calls: right };
    yield {
      what: "a new response id on each chunk",
      body: full(chunk(header, { top: { id: "r1" } }), chunk(fragment, { top: { id: "r2" } })),
      calls: right,
    };
    yield {
      what: "the message so far beside each delta",
      body: full(
        {
          ...chunk(header),
          choices: [
            {
              index: 0,
              delta: { tool_calls: header },
              message: { role: "assistant", tool_calls: header },
              finish_reason: null,
            },
          ],
        },
        fragment,
      ),
      calls: right,
    };
  }
  family("changes nothing", () => withTools(noise()));
});

describe("a whole message", () => {
  const message = (calls: readonly object[], rest: object = {}): object => ({
    id: "chatcmpl-1",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: null, tool_calls: calls },
        finish_reason: "tool_calls",
        ...rest,
      },
    ],
  });
  const both: readonly Brief[] = [
    ["a", W, OSLO],
    ["b", R, ROME],
  ];
  function* messages(): Generator<Relative> {
    yield { what: "alone", body: chat(message([entry(0, "a", W, OSLO)]), "[DONE]"), calls: right };
    yield { what: "as a body", body: JSON.stringify(message([entry(none, "a", W, OSLO)])), calls: right };
    yield {
      what: "without ids",
      body: chat(message([entry(none, none, W, OSLO), entry(none, none, W, OSLO)])),
      calls: [
        [null, W, OSLO],
        [null, W, OSLO],
      ],
    };
    yield {
      what: "after the deltas",
      body: chat(header, fragment, message([entry(0, "a", W, OSLO)]), "[DONE]"),
      calls: right,
    };
    yield {
      what: "after the deltas, beside an empty one",
      body: chat(header, fragment, message([entry(0, "a", W, OSLO)], { delta: {} }), "[DONE]"),
      calls: right,
    };
    yield {
      what: "after the deltas, under another id",
      body: chat(header, fragment, message([entry(none, "zz", W, OSLO)]), "[DONE]"),
      calls: right,
    };
    yield {
      what: "after the deltas of two without ids",
      body: chat(
        [entry(0, none, W, OSLO)],
        [entry(1, none, W, OSLO)],
        message([entry(none, none, W, OSLO), entry(none, none, W, OSLO)]),
        "[DONE]",
      ),
      calls: [
        [null, W, OSLO],
        [null, W, OSLO],
      ],
    };
    yield {
      what: "that adds a call",
      body: chat(header, fragment, message([entry(none, "a", W, OSLO), entry(none, "b", R, ROME)]), "[DONE]"),
      calls: both,
    };
    yield {
      what: "that ends what the deltas began",
      body: chat(header, [entry(0, none, none, OSLO.slice(0, 5))], message([entry(none, "a", W, OSLO)]), "[DONE]"),
      calls: right,
    };
    yield {
      what: "that contradicts the deltas",
      body: chat(header, fragment, message([entry(none, "a", W, ROME)]), "[DONE]"),
      calls: [["a", W, ROME]],
      notices: ["final-disagrees"],
    };
  }
  family("restates what was streamed, or is all there is", () => withTools(messages()));
});

describe("the other forms of a call", () => {
  const legacy = (name: unknown, args: unknown, finish: string | null = null): object => ({
    id: "chatcmpl-1",
    choices: [{ index: 0, delta: { function_call: defined({ name, arguments: args }) }, finish_reason: finish }],
  });
  const custom = (index: number, id: unknown, name: unknown, input: unknown): object =>
    defined({ index, id, type: id === undefined ? none : "custom", custom: defined({ name, input }) });
  function* forms(): Generator<Relative> {
    yield {
      what: "function_call",
      body: chat(
        legacy(W, ""),
        legacy(none, OSLO.slice(0, 4)),
        legacy(none, OSLO.slice(4)),
        ended("function_call"),
        "[DONE]",
      ),
      calls: [[null, W, OSLO]],
    };
    yield {
      what: "function_call, its name each time",
      body: chat(
        legacy(W, ""),
        legacy(W, OSLO.slice(0, 4)),
        legacy(W, OSLO.slice(4)),
        ended("function_call"),
        "[DONE]",
      ),
      calls: [[null, W, OSLO]],
    };
    yield {
      what: "function_call, its name blank",
      body: chat(legacy(W, ""), legacy("", OSLO), ended("stop"), "[DONE]"),
      calls: [[null, W, OSLO]],
    };
    yield {
      what: "function_call and tool_calls, the same",
      body: chat(
        {
          id: "chatcmpl-1",
          choices: [
            {
              index: 0,
              delta: { tool_calls: [entry(0, "a", W, OSLO)], function_call: { name: W, arguments: OSLO } },
              finish_reason: null,
            },
          ],
        },
        ended(),
        "[DONE]",
      ),
      calls: right,
    };
    yield {
      what: "custom",
      body: full([custom(0, "k", "sql", "sel")], [custom(0, none, none, "ect 1")]),
      calls: [["k", "sql", "select 1", "complete/custom"]],
    };
    yield {
      what: "custom, cut by the limit",
      body: chat([custom(0, "k", "sql", "sel")], ended("length"), "[DONE]"),
      calls: [["k", "sql", "sel", "truncated/custom"]],
      finish: "length",
    };
    yield {
      what: "custom, empty",
      body: full([custom(0, "k", "sql", "")]),
      calls: [["k", "sql", "", "complete/custom"]],
    };
    yield {
      what: "custom, text that looks like arguments",
      body: full([custom(0, "k", "sql", "{}")], [custom(0, none, none, "{}")], [custom(0, none, none, "null")]),
      calls: [["k", "sql", "{}{}null", "complete/custom"]],
    };
    yield {
      what: "custom and function in turns",
      body: full(
        [custom(0, "k", "sql", "sel")],
        [entry(1, "a", W, "")],
        [custom(0, none, none, "ect")],
        [entry(1, none, none, OSLO)],
      ),
      calls: [
        ["k", "sql", "select", "complete/custom"],
        ["a", W, OSLO],
      ],
    };
  }
  family("are read", () => withTools(forms()));
});
