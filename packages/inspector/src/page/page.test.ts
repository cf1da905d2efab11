// The page as a person uses it, in a real browser.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeWith } from "../../../ledger/src/servers.test-kit.ts";
import { bytesOf, chatBody, fragment } from "../model/bodies.test-kit.ts";
import { browserTests, eventually } from "./browser.test-kit.ts";

const TWO_CALLS = chatBody([
  { role: "assistant", content: "Both" },
  fragment(0, "", "call_a", "get_weather"),
  fragment(1, "", "call_b", "get_time"),
  fragment(0, '{"city":"Os'),
  fragment(1, '{"zone":'),
  fragment(0, 'lo","days":3}'),
  fragment(1, '"Europe/Oslo"}'),
]);

const REPEAT = chatBody([
  fragment(0, "", "call_m", "send_mail"),
  fragment(0, '{"to":"ann"}'),
  fragment(0, '{"to":"ann"}', "call_m", "send_mail"),
]);

const CUT = chatBody([fragment(0, '{"path":"/ho', "call_d", "delete_files")], null);

const BODIES = { "runs/two.sse": TWO_CALLS, "runs/repeat.sse": REPEAT, "runs/cut.sse": CUT };

async function moment(page: Page): Promise<string> {
  return page.getByRole("region", { name: "At this moment" }).innerText();
}

async function frame(page: Page): Promise<number> {
  return Number(await page.getByRole("slider", { name: "Frame" }).inputValue());
}

await describeWith("chromium", "the page in a browser", (path) => {
  const open = browserTests(path);

  it("lists the responses with what matters, and opens one", async () => {
    const { page } = await open({ bodies: BODIES });
    const list = page.getByRole("list", { name: "Responses" });
    await list.getByText("truncat").or(list.getByText("not whole")).waitFor();
    const lines = await list.getByRole("listitem").allInnerTexts();
    expect(lines.length).toBe(3);
    expect(lines[0]).toMatch(/two\.sse[^]*openai-chat[^]*tool_calls[^]*2 calls/);
    expect(lines[1]).toMatch(/repeat\.sse[^]*◆ 1/);
    expect(lines[2]).toMatch(/cut\.sse[^]*no finish[^]*1 not whole/);
    await list.getByText("two.sse").click();
    await page.getByRole("heading", { name: "runs/two.sse" }).waitFor();
    await page.getByRole("slider", { name: "Frame" }).waitFor();
    await expect.poll(async () => page.locator(".facts").innerText()).toMatch(/openai-chat[^]*2 calls[^]*9 frames/);
    await expect.poll(async () => list.locator("[aria-current=page]").innerText()).toContain("two.sse");
    expect(page.url()).toMatch(/#\/r\/1$/);
    await page.goBack();
    await page.getByText("Which call got which fragment").waitFor();
  });

  it("opens a single response by itself", async () => {
    const { page } = await open({ bodies: { "one.sse": REPEAT } });
    await page.getByRole("heading", { name: "one.sse" }).waitFor();
    await page.getByRole("slider", { name: "Frame" }).waitFor();
  });

  it("filters and searches", async () => {
    const { page } = await open({ bodies: BODIES });
    const names = async (): Promise<string[]> => page.locator(".entry b").allInnerTexts();
    await page.getByText("1 not whole").waitFor();
    await page.getByRole("button", { name: "Broken" }).click();
    expect(await names()).toEqual(["cut.sse"]);
    await page.getByRole("button", { name: "Notices" }).click();
    expect(await names()).toEqual(["repeat.sse", "cut.sse"]);
    await page.keyboard.press("/");
    await page.keyboard.type("send_m repeated");
    await eventually(async () => (await names()).join() === "repeat.sse", "the one that fits");
    await page.keyboard.type(" nowhere");
    await page.getByText("Nothing fits").waitFor();
    await page.getByRole("searchbox").fill("");
    await page.getByRole("button", { name: "All", exact: true }).click();
    expect((await names()).length).toBe(3);
  });

  it("shows at every moment each call's text, its newest fragment, its value and whether it parses", async () => {
    const { page } = await open({ bodies: { "two.sse": TWO_CALLS } });
    const slider = page.getByRole("slider", { name: "Frame" });
    await slider.fill("3");
    const first = page.getByRole("region", { name: "get_weather" });
    expect(await first.locator(".text").innerText()).toBe('{"city":"Os');
    expect(await first.locator("mark").innerText()).toBe('{"city":"Os');
    expect(await first.innerText()).toContain("not JSON yet");
    expect(await first.getByRole("treeitem").allInnerTexts()).toEqual(["{ …", expect.stringMatching(/city\s*“Os/)]);
    await slider.fill("5");
    expect(await first.locator("mark").innerText()).toBe('lo","days":3}');
    expect(await first.innerText()).toContain("parses");
    expect(await first.getByRole("treeitem").allInnerTexts()).toEqual([
      "{ }",
      expect.stringMatching(/city\s*“Oslo”/),
      expect.stringMatching(/days\s*3/),
    ]);
    await expect.poll(async () => page.getByRole("region", { name: "get_time" }).innerText()).toContain("not JSON yet");
    await slider.fill("-1");
    await expect.poll(async () => moment(page)).toContain("Nothing has come yet");
    await slider.fill("8");
    expect(await first.innerText()).toContain("complete");
  });

  it("goes where the time line is pressed", async () => {
    const { page } = await open({ bodies: { "two.sse": TWO_CALLS } });
    const box = await page.locator(".picture").boundingBox();
    if (box === null) throw new Error("no time line");
    await page.mouse.click(box.x + 2, box.y + 90);
    await expect.poll(async () => frame(page)).toBe(0);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 90);
    await page.mouse.up();
    await expect.poll(async () => frame(page)).toBe(4);
    await expect.poll(async () => page.getByRole("img", { name: /Time line: 3 lanes, 9 frames/ }).count()).toBe(1);
    await page.getByRole("button", { name: "See less (+)" }).click();
    await expect.poll(async () => page.getByTitle("See all (0)").isEnabled()).toBe(true);
    await page.getByTitle("See all (0)").click();
  });

  it("plays from the beginning to the end", async () => {
    const { page } = await open({ hash: "#/learn/parallel" });
    await page.getByLabel("Speed").selectOption("10");
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.getByRole("button", { name: "Play" }).waitFor();
    await expect.poll(async () => frame(page)).toBe(13);
    // Without times, by frames; and it can be stopped.
    await page.getByRole("button", { name: "by time" }).click();
    await page.getByLabel("Speed").selectOption("0.25");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Play" }).click();
    await eventually(async () => (await frame(page)) >= 0, "the first frame");
    await page.getByRole("button", { name: "Stop" }).click();
    const stopped = await frame(page);
    await page.waitForTimeout(150);
    await expect.poll(async () => frame(page)).toBe(stopped);
  });

  it("does everything by keys", async () => {
    const { page } = await open({ bodies: BODIES });
    await page.locator(".entry").first().waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "two.sse" }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "repeat.sse" }).waitFor();
    // The name is there before the body is.
    await page.getByRole("slider", { name: "Frame" }).waitFor();
    await page.keyboard.press("Home");
    await expect.poll(async () => frame(page)).toBe(-1);
    for (const [key, at] of [
      ["ArrowRight", 0],
      ["ArrowRight", 1],
      ["ArrowLeft", 0],
      ["End", 4],
      ["p", 2],
      ["Shift+ArrowRight", 4],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(async () => frame(page), { message: key }).toBe(at);
    }
    await page.keyboard.press("]");
    await expect.poll(async () => page.locator(".lane-name[aria-pressed=true]").innerText()).toContain("send_mail");
    for (const [key, name] of [
      ["2", "Other readers"],
      ["3", "Turn"],
      ["4", "Report"],
      ["1", "Frames"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(async () => page.getByRole("tab", { selected: true }).innerText()).toBe(name);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "two.sse" }).waitFor();
    await page.getByRole("slider", { name: "Frame" }).waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await eventually(async () => (await frame(page)) >= 1, "playing");
    await page.keyboard.press(" ");
  });

  it("shows the bytes of a frame beside what became of it, one selecting the other", async () => {
    const crlf = bytesOf(`: ping\r\n\r\n${TWO_CALLS.replaceAll("\n", "\r\n")}`);
    const { page } = await open({ bodies: { "crlf.sse": crlf } });
    await page.locator(".frame").filter({ hasText: "Os" }).first().click();
    await expect.poll(async () => frame(page)).toBe(3);
    const raw = page.getByLabel("Bytes of frame 3");
    expect(await raw.locator(".sign-mark").allInnerTexts()).toEqual(["CR", "LF", "CR", "LF"]);
    expect(await raw.locator("mark").innerText()).toBe(String.raw`{\"city\":\"Os`);
    await page.locator(".frame").first().click();
    await expect.poll(async () => page.getByLabel("Bytes of frame 0").innerText()).toContain(": ping");
    const event = page.locator(".event-detail").filter({ hasText: "Both" });
    await event.click();
    expect(await event.getAttribute("aria-pressed")).toBe("true");
    await expect.poll(async () => page.getByLabel("Bytes of frame 0").locator("mark").innerText()).toBe("Both");
  });

  it("pins notices where they happened", async () => {
    const { page } = await open({ bodies: { "repeat.sse": REPEAT } });
    await page.getByRole("button", { name: /repeated-call/ }).click();
    await expect.poll(async () => frame(page)).toBe(2);
    await expect
      .poll(async () => page.locator(".event-detail.warn").innerText())
      .toContain('kept out: send_mail {"to":"ann"}');
  });

  it("shows what other readers make of it, and where they go wrong", async () => {
    const { page } = await open({ bodies: { "repeat.sse": REPEAT } });
    await page.getByRole("tab", { name: "Other readers" }).click();
    const byIndex = page.getByRole("region", { name: "By index" });
    expect(await byIndex.innerText()).toContain("throws");
    expect(await byIndex.locator("mark.wrong").innerText()).toBe('{"to":"ann"}');
    expect(await page.getByRole("region", { name: "By the call announced last" }).innerText()).toContain(
      "there is no such call",
    );
  });

  it("has the turn and the results ready to copy", async () => {
    const { page } = await open({ bodies: { "cut.sse": CUT }, permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("tab", { name: "Turn" }).click();
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByText("Copied").waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as {
      tool_calls: { id: string }[];
    };
    expect(copied).toMatchObject({ role: "assistant", tool_calls: [{ id: "call_d" }] });
    await expect.poll(async () => page.getByLabel("The results").innerText()).toContain("call_d");
    await expect.poll(async () => page.getByRole("tabpanel").innerText()).toContain("cannot run");
  });

  it("makes a body for a report that says nothing of what was said", async () => {
    const { page } = await open({ bodies: { "repeat.sse": REPEAT } });
    await page.getByRole("tab", { name: "Report" }).click();
    await page.getByRole("button", { name: "Make a body for a report" }).click();
    await page.getByText("The finding is the same").waitFor();
    const body = await page.getByLabel("The reduced body").innerText();
    expect(body).toContain("tool_1");
    expect(body).not.toMatch(/ann|send_mail|call_m/);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as report.openai-chat.sse" }).click();
    expect((await download).suggestedFilename()).toBe("report.openai-chat.sse");
  });

  it("shows a live response while it comes, and keeps what was scrubbed to", async () => {
    const { page, inspector } = await open();
    const frames = TWO_CALLS.split(/(?<=\n\n)/).map(bytesOf);
    const live = inspector.open({ name: "POST /v1/chat/completions" });
    for (const each of frames.slice(0, 3)) live.push(each);
    await page.getByRole("button", { name: /^Responses/ }).click();
    await page.locator(".entry").filter({ hasText: "coming" }).click();
    await page.getByRole("heading", { name: "POST /v1/chat/completions" }).waitFor();
    await expect.poll(async () => frame(page)).toBe(2);
    live.push(frames[3] ?? new Uint8Array());
    // Half a frame shows nothing yet.
    live.push((frames[4] ?? new Uint8Array()).subarray(0, 30));
    await eventually(async () => (await frame(page)) === 3, "the new frame");
    await expect
      .poll(async () => page.getByRole("region", { name: "get_weather" }).locator("mark").innerText())
      .toBe('{"city":"Os');
    await page.keyboard.press("ArrowLeft");
    live.push((frames[4] ?? new Uint8Array()).subarray(30));
    for (const each of frames.slice(5)) live.push(each);
    live.end();
    await page.locator(".facts").getByText("tool_calls").waitFor();
    await expect.poll(async () => frame(page)).toBe(2);
    await page.keyboard.press("End");
    await expect.poll(async () => page.getByRole("region", { name: "get_time" }).innerText()).toContain("complete");
    // The list is told of the end by the server, the page has read it itself.
    const entry = async (): Promise<string> => page.locator(".entry").innerText();
    await eventually(async () => /tool_calls[^]*2 calls/.test(await entry()), "the end in the list");
  });

  it("keeps what the server tells while the list is still on its way, and the side that was chosen", async () => {
    const { page, inspector, url } = await open();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/api/list", async (route) => {
      const answer = await route.fetch();
      await held;
      await route.fulfill({ response: answer });
    });
    const asked = page.waitForRequest("**/api/list");
    await page.goto(url);
    await page.reload();
    await asked;
    await page.getByRole("button", { name: /^Responses/ }).click();
    const live = inspector.open({ name: "POST /v1/messages" });
    live.push(bytesOf("data: {}\n\n"));
    await page.locator(".entry").waitFor();
    release();
    await page.waitForResponse("**/api/list");
    await page.locator(".entry").filter({ hasText: "messages" }).click();
    live.end();
    await page.unroute("**/api/list");
  });

  it("says that a response is no longer there", async () => {
    const { page, watched } = await open({ hash: "#/r/99" });
    watched.errorsExpected = true;
    await page.getByRole("alert").getByText("it is no longer there").waitFor();
  });

  it("teaches: every lesson is what it says", async () => {
    const { page } = await open({ hash: "#/learn/fragments" });
    const expected: Readonly<Record<string, readonly [lanes: number, pins: string]>> = {
      fragments: [2, ""],
      parallel: [2, ""],
      "one-index": [2, "index-reused"],
      repeat: [1, "repeated-call"],
      placeholder: [1, "placeholder-arguments"],
      cut: [3, "Overloaded"],
      object: [3, "id-missing"],
      rescue: [2, "rescued-call"],
      malformed: [1, "malformed-arguments"],
    };
    const links = await page.locator(".lessons a").evaluateAll((list) => list.map((each) => each.getAttribute("href")));
    expect(links.map((link) => link?.slice("#/learn/".length))).toEqual(Object.keys(expected));
    for (const [id, [lanes, pin]] of Object.entries(expected)) {
      await page.locator(`.lessons a[href="#/learn/${id}"]`).click();
      await page.locator(`.lessons a[href="#/learn/${id}"][aria-current=page]`).waitFor();
      await page.locator(".lesson li").first().waitFor();
      await eventually(async () => (await page.locator(".lane-name").count()) === lanes, `${id}: ${lanes} lanes`);
      await page.keyboard.press("End");
      if (pin !== "") await expect.poll(async () => page.locator(".pins").innerText(), { message: id }).toContain(pin);
      else await expect.poll(async () => page.locator(".pins").count(), { message: id }).toBe(0);
    }
    await expect.poll(async () => moment(page)).toContain("The one reading");
  });
});
