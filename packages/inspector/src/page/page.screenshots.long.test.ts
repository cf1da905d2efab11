// The pictures of the guide, taken of the page as it is. `npm run test:long -- screenshots` takes them and looks whether
// they show anything; with UNBRAID_SCREENSHOTS=1 they are written to docs/images.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeWith } from "../../../ledger/src/servers.test-kit.ts";
import { bytesOf, caseBodies, chatBody, fragment } from "../model/bodies.test-kit.ts";
import { browserTests } from "./browser.test-kit.ts";
import { agentRun } from "./agent-run.test-kit.ts";

const FOLDER = fileURLToPath(new URL("../../../../docs/images/", import.meta.url));

/** Takes a picture, and makes sure that there is something in it. */
async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.mouse.move(0, 0);
  await page.waitForTimeout(150);
  const png = await page.screenshot();
  expect(coloursIn(png)).toBeGreaterThan(40);
  expect(png.length).toBeLessThan(320_000);
  if (process.env["UNBRAID_SCREENSHOTS"] !== "1") return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}${name}.png`, png);
}

/** How many different bytes stand in the pixels of a PNG: few in an empty page. */
function coloursIn(png: Buffer): number {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return new Set(inflateSync(Buffer.concat(parts))).size;
}

/** The first of the conformance bodies: each has a fault of its own. */
const CASES = Object.fromEntries(
  caseBodies("cases")
    .slice(0, 140)
    .map(({ name, bytes }) => [`cases/${name}`, bytes]),
);

const MORE = {
  "recordings/clean.sse": chatBody([{ content: "Sunny." }], "stop"),
  "recordings/cut.sse": chatBody([fragment(0, '{"path":"/ho', "call_1", "delete_files")], null),
  "recordings/placeholder.sse": chatBody([fragment(0, "{}", "c", "list_files"), fragment(0, '{"path":"."}')]),
  "recordings/python.sse": chatBody([fragment(0, '{"all": True}', "c", "list_files")]),
  "recordings/no-id.sse": chatBody([fragment(0, '{"q":"x"}', undefined, "search")]),
  "recordings/two.sse": chatBody([fragment(0, '{"q":"x"}', "a", "search"), fragment(0, '{"q":"y"}', "b", "search")]),
};

await describeWith("chromium", "pictures of the page", (path) => {
  const open = browserTests(path);

  it("shows a response, in light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, inspector } = await open({ bodies: MORE, colorScheme, viewport: { width: 1200, height: 860 } });
      inspector.add({
        name: "recordings/agent-run.sse",
        async *open() {
          for (const [time, text] of agentRun()) yield { bytes: bytesOf(text), time };
        },
      });
      await page.locator(".entry").filter({ hasText: "agent-run" }).click();
      await page.locator(".lane-name").first().waitFor();
      await page.getByRole("slider", { name: "Frame" }).fill("215");
      await picture(page, `inspector-${colorScheme}`);
    }
  });

  it("shows the list by itself, and the notices over all", async () => {
    const { page } = await open({ bodies: CASES, viewport: { width: 1200, height: 720 } });
    await page.getByText("not read yet").first().waitFor({ state: "detached" });
    await picture(page, "inspector-list");
  });

  it("shows the lessons, other readers and the report", async () => {
    const { page } = await open({ hash: "#/learn/one-index", viewport: { width: 1200, height: 860 } });
    await page.locator(".lesson li").first().waitFor();
    await page.getByRole("tab", { name: "Other readers" }).click();
    await page.keyboard.press("End");
    await picture(page, "inspector-learn");
    await page.locator('.lessons a[href="#/learn/repeat"]').click();
    await page.getByRole("tab", { name: "Report" }).click();
    await page.keyboard.press("End");
    await page.getByRole("button", { name: "Make a body for a report" }).click();
    await page.getByText("The finding is the same").waitFor();
    await picture(page, "inspector-report");
  });

  it("shows a phone", async () => {
    const { page } = await open({
      hash: "#/learn/parallel",
      viewport: { width: 390, height: 780 },
      colorScheme: "dark",
    });
    await page.locator(".lesson li").first().waitFor();
    await page.getByRole("slider", { name: "Frame" }).fill("9");
    await page.locator(".stage").scrollIntoViewIfNeeded();
    await page.locator("main").evaluate((main) => main.scrollTo(0, 330));
    await picture(page, "inspector-phone");
  });
});
