// Stopping a turn while its calls are judged, before anything has run.

import { expect, test } from "vitest";
import { call } from "./calls.test-kit.ts";
import { dispatching, heldTool, settle, textOf, toolThat } from "./dispatch.test-kit.ts";
import type { Tool } from "./tool.ts";

const never = (): Promise<never> => new Promise(() => {});

test.each<[what: string, tool: Tool]>([
  ["a schema that never answers", { ...toolThat("t", () => "ran"), validate: never }],
  ["a rule of approval that never answers", { ...toolThat("t", () => "ran"), needsApproval: never }],
])("ends the wait for %s, and every call has its result", async (_, tool) => {
  const stop = new AbortController();
  const { finish } = dispatching([tool, toolThat("u", () => "quick")], { signal: stop.signal, approve: () => true });
  const results = finish([call("t", {}, { key: "a" }), call("nobody", {}, { key: "b" })]);
  await settle();
  stop.abort();
  expect((await results).map(({ reason }) => reason)).toEqual(["aborted", "unknown-tool"]);
  expect(textOf((await results)[0])).toContain("before this call");
});

test("early calls that the answer does not hold are stopped, and waited for", async () => {
  const { tool, runs } = heldTool("t", { early: true });
  const { dispatch, finish, said } = dispatching([tool]);
  dispatch.offer(call("t", {}, { key: "a" }));
  await settle();
  const [run] = runs;
  const results = finish([]);
  let ended = false;
  void results.then(() => (ended = true));
  await settle();
  expect([run?.context.signal.aborted, ended]).toEqual([true, false]);
  run?.resolve("late");
  expect(await results).toEqual([]);
  expect(said()).toEqual(["a start"]);
});

test("a complete call without a name, from a reader of the user's own, is of no tool", async () => {
  const { finish } = dispatching([toolThat("t", () => "ran")]);
  expect((await finish([call("")])).map(({ reason }) => reason)).toEqual(["unknown-tool"]);
});
