import { describe, expect, test } from "vitest";
import type { CallIdentity, StreamEvent, WirePosition } from "../events.ts";
import { AnswerCollector, pending, withRepairs } from "./answer.ts";
import { answerOf, answersOf, answerWith, callOf } from "./turns.test-kit.ts";

const at: WirePosition = { frame: 0, start: 0, end: 0 };

function folded(...events: readonly StreamEvent[]): AnswerCollector {
  const collector = new AnswerCollector("openai-chat");
  for (const event of events) collector.add(event);
  return collector;
}

const identity = (id: string, choice = 0): CallIdentity => ({
  key: id,
  id,
  name: "f",
  kind: "function",
  choice,
  index: 0,
});
const start = (id: string, choice = 0): StreamEvent => ({ type: "call.start", call: identity(id, choice), at });
const close = (id: string, choice = 0): StreamEvent => ({
  type: "call.close",
  call: callOf({ key: id, id, choice }),
  at,
});
const text = (words: string, choice = 0): StreamEvent => ({ type: "text", text: words, choice, at });
const finish: StreamEvent = { type: "finish", reason: "tool_calls", raw: "tool_calls", at };

/** An answer's items in words. */
function inWords({ items }: ReturnType<typeof answerWith>): string[] {
  return items.map((item) => {
    if (item.type === "call") return `call ${item.call.id}`;
    return item.type === "part" ? `part ${JSON.stringify(item.part)}` : `${item.type} ${item.text}`;
  });
}

describe("AnswerCollector", () => {
  test("keeps the order in which the pieces began, not that in which they ended", () => {
    const { answer } = folded(text("a"), start("1"), text("b"), start("2"), close("2"), close("1"), finish);
    expect(inWords(answer)).toEqual(["text a", "call 1", "text b", "call 2"]);
  });

  test("joins fragments that stand together, and keeps apart what differs", () => {
    const { answer } = folded(
      text("a"),
      text("b"),
      { type: "text", text: "no", choice: 0, refusal: true, at },
      { type: "reasoning", text: "r", field: "reasoning", choice: 0, at },
      { type: "reasoning", text: "s", field: "reasoning", choice: 0, at },
      { type: "reasoning", text: "t", choice: 0, at },
      { type: "part", part: { x: 1 }, choice: 0, at },
      { type: "part", part: null, choice: 0, at },
      text("c"),
    );
    expect(answer.items).toEqual([
      { type: "text", text: "ab" },
      { type: "text", text: "no", refusal: true },
      { type: "reasoning", text: "rs", field: "reasoning" },
      { type: "reasoning", text: "t" },
      { type: "part", part: { x: 1 } },
      { type: "text", text: "c" },
    ]);
  });

  test("holds no call that was taken back, nor one that never closed", () => {
    const retract: StreamEvent = {
      type: "call.retract",
      call: identity("1"),
      reason: "fallback",
      argumentsText: "",
      at,
    };
    const { answer } = folded(start("1"), close("1"), start("2"), start("3"), close("3"), retract, finish);
    expect(inWords(answer)).toEqual(["call 3"]);
  });

  test("keeps one choice", () => {
    const events = [text("a"), text("b", 1), start("1", 1), close("1", 1), start("2"), close("2"), finish];
    expect(inWords(folded(...events).answer)).toEqual(["text a", "call 2"]);
    const second = new AnswerCollector("openai-chat", { choice: 1 });
    for (const event of events) second.add(event);
    expect(inWords(second.answer)).toEqual(["text b", "call 1"]);
  });

  test("begins another answer behind a finish, and says each when it is over", () => {
    const collector = new AnswerCollector("openai-chat");
    const ended = [text("a"), finish, text("b"), finish].flatMap((event) => collector.add(event) ?? []);
    expect(ended.map(inWords)).toEqual([["text a"], ["text b"]]);
    expect(collector.answers.map(inWords)).toEqual([["text a"], ["text b"]]);
    expect(inWords(collector.answer)).toEqual(["text b"]);
  });

  test("keeps lanes apart", () => {
    const on = (lane: string, event: StreamEvent): StreamEvent => ({ ...event, at: { ...at, lane } });
    const { answers } = folded(text("a"), on("x", text("b")), text("c"), on("x", finish), finish);
    expect(answers.map(inWords)).toEqual([["text ac"], ["text b"]]);
  });

  test("takes back a call of an answer that is over, and marks one as answered", () => {
    const cancelled: StreamEvent = {
      type: "call.retract",
      call: identity("1"),
      reason: "cancelled",
      argumentsText: "",
      at,
    };
    const quoted: StreamEvent = { type: "call.answered", id: "2", at };
    const { answers } = folded(
      start("1"),
      close("1"),
      start("2"),
      close("2"),
      finish,
      cancelled,
      quoted,
      text("x"),
      finish,
    );
    expect(answers.map(inWords)).toEqual([["call 2"], ["text x"]]);
    expect(answers[0]?.answered).toEqual(["2"]);
    expect(answers.flatMap(pending)).toEqual([]);
  });

  test("forgets what a response had said when another try takes its place", () => {
    const begin = (id: string): object => ({ type: "message_start", message: { id, content: [] } });
    const said = (index: number, words: string): object[] => [
      { type: "content_block_start", index, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index, delta: { type: "text_delta", text: words } },
      { type: "content_block_stop", index },
    ];
    const use = {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "t", name: "f", input: {} },
    };
    const answer = answerOf("anthropic", begin("m1"), ...said(0, "Old."), use, begin("m2"), ...said(0, "New."));
    expect(inWords(answer)).toEqual(["text New."]);
    expect(answer.response).toEqual({ id: "m2" });
    const chunk = (id: string, delta: object): object => ({ id, model: "m", choices: [{ index: 0, delta }] });
    const call = { tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: '{"q"' } }] };
    const again = [chunk("c2", { role: "assistant", content: "" }), chunk("c2", { content: "New." })];
    expect(inWords(answerOf("openai-chat", chunk("c1", { content: "Old." }), chunk("c1", call), ...again))).toEqual([
      "text New.",
    ]);
    // An id that only changes is no restart.
    expect(inWords(answerOf("openai-chat", chunk("c1", { content: "a" }), chunk("c2", { content: "b" })))).toEqual([
      "text ab",
    ]);
  });

  test("an error between the responses of a session is of no answer; one before any is", () => {
    const error: StreamEvent = { type: "error", error: { code: "x", message: "m" }, at };
    expect(folded(text("a"), finish, error).answers).toMatchObject([{ error: null }]);
    expect(folded(error, finish).answer).toMatchObject({ error: { code: "x" }, finish: "tool_calls", items: [] });
    expect(folded(text("a"), error, finish).answer.error).toEqual({ code: "x", message: "m" });
  });

  test("is empty before anything came", () => {
    expect(folded()).toMatchObject({ answers: [], answer: { items: [], finish: null, response: {} } });
  });

  test("asked for at every event, a long text costs what is new", () => {
    const collector = new AnswerCollector("openai-chat");
    const begin = performance.now();
    for (let i = 0; i < 50_000; i++) {
      collector.add(text("0123456789"));
      if (i % 10 === 0) void collector.answer;
    }
    expect(collector.answer.items).toHaveLength(1);
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});

describe("variants", () => {
  test("are told apart by what the events say", () => {
    const chunk = { candidates: [{ content: { parts: [{ text: "x" }] } }] };
    expect(answerOf("gemini", chunk)).not.toHaveProperty("variant");
    const [live] = answersOf("gemini", [{ serverContent: { modelTurn: { parts: [{ text: "x" }] } } }], true);
    expect(live).toMatchObject({ variant: "live" });
    const created = { event_type: "interaction.created", interaction: { id: "i" } };
    expect(answerOf("gemini", created)).toMatchObject({ variant: "interactions" });
    const started = { type: "conversation.response.started", conversation_id: "c" };
    expect(answerOf("mistral", started)).toMatchObject({ variant: "conversations" });
    const bytes = (event: object): object => ({ chunk: { bytes: btoa(JSON.stringify(event)) } });
    const claude = bytes({ type: "message_start", message: { id: "m", content: [] } });
    expect(answerOf("bedrock", claude)).toMatchObject({ variant: "invoke-anthropic", response: { id: "m" } });
    const gpt = bytes({ id: "c", choices: [{ index: 0, delta: { content: "x" } }] });
    expect(answerOf("bedrock", gpt)).toMatchObject({ variant: "invoke-openai" });
    const wrapped = { type: "response.event", event: { type: "response.created", response: { id: "r" } } };
    expect(answerOf("openai-realtime", wrapped)).toMatchObject({ variant: "live" });
  });
});

describe("pending", () => {
  test("is what the client must answer: its own calls and questions, whole or not", () => {
    const kinds = ["function", "custom", "server", "mcp", "mcp-approval", "builtin"] as const;
    const items = kinds.map(
      (kind) => ({ type: "call", call: callOf({ key: kind, kind, status: "truncated" }) }) as const,
    );
    const answer = answerWith("openai-responses", items, { answered: ["custom"] });
    expect(pending(answer).map(({ kind }) => kind)).toEqual(["function", "mcp-approval", "builtin"]);
  });
});

describe("withRepairs", () => {
  const repair = { argumentsText: '{"q":1}', arguments: { q: 1 }, codes: ["x"] };
  const problem = { code: "invalid-json", message: "m" } as const;
  const bad = { status: "malformed", argumentsText: "{q:1}", arguments: null, problem } as const;

  test("puts the one reading in the place of a malformed call", () => {
    const answer = answerWith("openai-chat", [{ type: "call", call: callOf({ ...bad, repair }) }]);
    const [call] = pending(withRepairs(answer));
    expect(call).toMatchObject({ status: "complete", argumentsText: '{"q":1}', arguments: { q: 1 } });
    expect(call).not.toHaveProperty("problem");
    expect(pending(withRepairs(answer, () => false))).toEqual(pending(answer));
  });

  test("leaves alone what has no reading, is cut, or has no name", () => {
    for (const call of [
      callOf(bad),
      callOf({ ...bad, repair, status: "truncated" }),
      callOf({ ...bad, repair, name: "" }),
    ]) {
      const answer = answerWith("openai-chat", [{ type: "call", call }]);
      expect(withRepairs(answer)).toEqual(answer);
    }
  });
});
