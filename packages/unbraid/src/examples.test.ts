// The code blocks of the README and the guide run as they stand. A server on the port that they name is stood in for.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(root, "node_modules/.cache/examples");
const guide = join(root, "docs/guide");
const pages = [join(root, "README.md"), ...readdirSync(guide).map((name) => join(guide, name))];
const blocks = pages.flatMap((page) =>
  [...readFileSync(page, "utf8").matchAll(/```ts\n([^]*?)```/g)].map((match, at) => ({
    name: `${page.slice(root.length)} ${at + 1}`,
    code: match[1] ?? "",
  })),
);

const CALL = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
};
const BODY = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [CALL] } }] })}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`;

/** What the model says once it has a result. */
const ANSWER = `data: {"choices":[{"index":0,"delta":{"content":"Sun in Oslo."},"finish_reason":"stop"}]}

data: [DONE]

`;

/** A model that calls a tool, and answers when it has a result. */
function answerTo(body: unknown): string {
  return typeof body === "string" && body.includes('"role":"tool"') ? ANSWER : BODY;
}

let log: ReturnType<typeof vi.spyOn>;
let written: string;
beforeEach(() => {
  vi.stubGlobal("fetch", async (_: unknown, init?: RequestInit) => {
    return new Response(answerTo(init?.body), { headers: { "content-type": "text/event-stream" } });
  });
  log = vi.spyOn(console, "log").mockImplementation(() => {});
  written = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("there are some", () => expect(blocks.length).toBeGreaterThan(3));

test.each(blocks)("$name", async ({ name, code }) => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name.replace(/[^\w]+/g, "-")}.ts`);
  writeFileSync(file, code);
  await import(/* @vite-ignore */ file);
  if (code.includes('reader.follow("write_file", "$.content"')) {
    const content = log.mock.calls
      .filter((said: unknown[]) => said[0] === "writes")
      .map((said: unknown[]) => String(said[1]));
    expect(content.join("")).toBe("Hello world");
  }
  if (code.includes("runTools({") && code.includes('event.type === "text"'))
    expect(written + log.mock.calls.join("\n")).toContain("Sun in Oslo.");
  if (code.includes("invoice 17")) expect(log).toHaveBeenCalledWith("done", "done", true);
  if (name === "README.md 1") expect(log).toHaveBeenCalledWith("get_weather", "complete", { city: "Oslo" });
});
