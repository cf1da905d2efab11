// `unbraid proxy --inspect`: answers that go by a running proxy, live in the page, in a real browser.

import { createServer, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Browser, chromium } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { describeWith } from "../../../ledger/src/servers.test-kit.ts";
import { callDelta, chatBody, fakeIo } from "../io.test-kit.ts";
import { main } from "../main.ts";

const FRAMES = chatBody([
  callDelta(0, '{"city":"Os', "call_a", "get_weather"),
  callDelta(0, 'lo"}'),
  callDelta(0, '{"city":"Oslo"}', "call_a", "get_weather"),
]).split(/(?<=\n\n)/);

const REQUEST = {
  model: "m",
  stream: true,
  messages: [{ role: "user", content: "?" }],
  tools: [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }],
};

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server whose answers are written by hand. */
async function upstream(): Promise<{ url: string; answer: () => Promise<ServerResponse> }> {
  const waiting: ServerResponse[] = [];
  const server: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    waiting.push(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answer: async () => {
      while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      return waiting.shift() as ServerResponse;
    },
  };
}

/** The proxy's address and the page's. */
async function proxy(target: string): Promise<{ base: string; page: string }> {
  const fake = fakeIo();
  const ended = main(
    ["proxy", "--upstream", target, "--port", "0", "--inspect", "--no-log", "--grace", "100"],
    fake.io,
  );
  closing.push(async () => {
    fake.interrupt();
    expect(await ended).toBe(130);
  });
  const found = (pattern: RegExp): string | undefined => pattern.exec(fake.err())?.[1];
  for (;;) {
    const base = found(/base URL (\S+)/);
    const page = found(/inspector (\S+)/);
    if (base !== undefined && page !== undefined) return { base, page };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

await describeWith("chromium", "unbraid proxy --inspect in a browser", (path) => {
  it("shows an answer while it goes by, as the server sent it", async () => {
    const { url, answer } = await upstream();
    const { base, page: address } = await proxy(url);
    const browser: Browser = await chromium.launch({
      executablePath: path,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
    closing.push(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(address);

    const asked = fetch(`${base}/chat/completions?key=SECRET`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(REQUEST),
    });
    const response = await answer();
    response.write(FRAMES[0]);
    await page.getByRole("button", { name: /^Responses/ }).click();
    await page.locator(".entry").filter({ hasText: "POST /v1/chat/completions" }).click();
    const call = page.getByRole("region", { name: "get_weather" });
    await call.locator("mark").getByText('{"city":"Os').waitFor();
    await expect.poll(async () => call.innerText()).toContain("not JSON yet");
    await expect.poll(async () => page.locator("body").innerText()).not.toContain("SECRET");

    response.write(FRAMES[1]);
    await call.locator(".parse.good").waitFor();
    await expect.poll(async () => page.getByRole("slider", { name: "Frame" }).getAttribute("max")).toBe("1");

    // The client gets the repeat mended away; the page shows it as it came.
    for (const frame of FRAMES.slice(2)) response.write(frame);
    response.end();
    await page.locator(".pins").getByText("repeated-call").waitFor();
    await page.locator(".facts").getByText("tool_calls").waitFor();
    await expect.poll(async () => call.innerText()).toContain("complete");
    const text = await (await asked).text();
    expect(text.match(/Oslo/g)).toBeNull();
    expect(text).toContain("[DONE]");
    expect(errors).toEqual([]);
  });
});
