import { describe, expect, it } from "vitest";
import { bytesOf, chatBody, fragment } from "../model/bodies.test-kit.ts";
import { Recording } from "../model/recording.ts";
import type { EntryInfo } from "../server/entry.ts";
import { FILTERS, isShown, type ListFilter, matches } from "./filter.ts";

function entry(name: string, body: string | null, more: Partial<EntryInfo> = {}): EntryInfo {
  const summary = body === null ? null : Recording.of([{ bytes: bytesOf(body), time: Number.NaN }]).summary;
  return { id: name, name, live: false, added: 0, failure: null, summary, ...more };
}

const good = entry(
  "runs/Good.sse",
  chatBody([{ content: "Hello Ann" }, fragment(0, "[]", "a", "get_weather")]).replace("[]", '{\\"q\\":1}'),
);
const text = entry("text.sse", chatBody([{ content: "only words" }], "stop"));
const cut = entry("cut.sse", chatBody([fragment(0, '{"a":', "a", "rm")], null));
const unread = entry("unread.sse", null);
const failed = entry("failed.sse", null, { failure: "permission denied" });
const coming = entry("coming", chatBody([fragment(0, '{"a":', "a", "rm")], null), { live: true });
const stillComing = {
  ...coming,
  summary: coming.summary === null ? null : { ...coming.summary, over: false, finish: null },
};
const all = [good, text, cut, unread, failed, stillComing];

describe("the filters", () => {
  it.each<[ListFilter, readonly EntryInfo[]]>([
    ["all", all],
    ["calls", [good, cut, stillComing]],
    ["notices", [cut, stillComing]],
    ["broken", [cut, failed]],
    ["live", [stillComing]],
  ])("%s", (filter, shown) => {
    expect(all.filter((each) => isShown(each, filter)).map(({ name }) => name)).toEqual(shown.map(({ name }) => name));
  });

  it("are all in the list", () => {
    expect(FILTERS.map(([filter]) => filter)).toEqual(["all", "calls", "notices", "broken", "live"]);
  });
});

describe("the search", () => {
  it.each([
    ["", all.length],
    ["good", 1],
    ["ann WEATHER", 1],
    ["openai-chat rm", 2],
    ["denied", 1],
    ["tool_calls", 1],
    ["m nothing-like-it", 0],
    ["(.*", 0],
  ])("%j finds %d", (query, count) => {
    expect(all.filter((each) => matches(each, query)).length).toBe(count);
  });
});
