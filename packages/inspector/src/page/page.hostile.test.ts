// What others wrote is shown and never run, in a real browser.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeWith } from "../../../ledger/src/servers.test-kit.ts";
import { bytesOf, chatBody, fragment } from "../model/bodies.test-kit.ts";
import { browserTests, type Seen } from "./browser.test-kit.ts";

const SCRIPT = "<script>window.ran=1</script>";
const IMAGE = '"><img src=x onerror="window.ran=2">';
const LINK = "javascript:window.ran=3";
const BIDI = "user\u202Enimda\u2066 a\u200Bb";
const CONTROLS = "\u0000\u0007\u001B[31mred\u009B1m\u2028\uFEFF";
const TEMPLATE = "{{constructor.constructor('window.ran=4')()}}${window.ran=5}</style></textarea></title>";

const EVERYTHING = [SCRIPT, IMAGE, LINK, BIDI, CONTROLS, TEMPLATE].join(" ");

/** Everything hostile, wherever a wire has room for it. */
const HOSTILE = `data: ${EVERYTHING.replaceAll(/[\r\n]/g, "")}\n\n${chatBody([
  { role: "assistant", content: EVERYTHING },
  { reasoning_content: EVERYTHING },
  fragment(0, "", `id ${EVERYTHING}`, `tool ${EVERYTHING}`),
  fragment(0, JSON.stringify({ [EVERYTHING]: EVERYTHING, __proto__x: { constructor: IMAGE } })),
  fragment(1, `not JSON ${EVERYTHING}`, "b", "toString"),
  fragment(2, '{"__proto__": {"ran": 1}, "a": 1}', "c", "__proto__"),
]).replaceAll('"model":"m"', `"model":${JSON.stringify(`model ${IMAGE}`)}`)}`;

async function nothingRan(page: Page): Promise<void> {
  expect(
    await page.evaluate(() => ({
      ran: Reflect.get(globalThis, "ran") as unknown,
      polluted: Reflect.get({}, "ran") as unknown,
      foreign: document.querySelectorAll(
        "#app script, #app img, #app iframe, #app style, #app [onerror], #app [href^='javascript']",
      ).length,
      title: document.title,
    })),
  ).toEqual({ ran: undefined, polluted: undefined, foreign: 0, title: "unbraid inspector" });
}

async function everyView({ page }: Seen): Promise<string> {
  let seen = "";
  const frames = Number(await page.getByRole("slider", { name: "Frame" }).getAttribute("max"));
  for (const tab of ["Frames", "Other readers", "Turn", "Report"]) {
    await page.getByRole("tab", { name: tab }).click();
    if (tab === "Frames")
      for (let frame = 0; frame <= frames; frame++) {
        await page.getByRole("slider", { name: "Frame" }).fill(String(frame));
        seen += await page.locator("main").innerText();
      }
    if (tab === "Report") {
      await page.getByRole("button", { name: "Make a body for a report" }).click();
      await page.getByText("The finding is the same").waitFor();
    }
    seen += await page.locator("main").innerText();
    await nothingRan(page);
  }
  return seen;
}

await describeWith("chromium", "hostile content in a browser", (path) => {
  const open = browserTests(path);

  it("is shown as text wherever it stands: text, names, ids, keys, values, frames that are no JSON", async () => {
    const seen = await open({ bodies: { [`dir ${IMAGE}/file ${SCRIPT} ${BIDI}.sse`]: HOSTILE, "other.sse": HOSTILE } });
    const { page } = seen;
    await page.getByText("file ").first().waitFor();
    await page.locator(".entry").first().click();
    await page.locator(".lane-name").first().waitFor();
    const text = await everyView(seen);
    for (const each of [SCRIPT, IMAGE, LINK, TEMPLATE]) expect(text).toContain(each);
    for (const sign of ["RLO", "LRI", "ZWSP", "NUL", "BEL", "ESC", "U+009B", "U+2028", "BOM"])
      expect(text).toContain(sign);
    // Nothing that cannot be seen, and nothing that turns the direction of what stands beside it.
    expect(text.replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/u);
    await expect.poll(async () => page.locator(".side").innerText()).toContain("RLO");
    await nothingRan(page);
  });

  it("cannot reach the page by its attributes or its address", async () => {
    const { page, watched } = await open({ bodies: { "a.sse": HOSTILE } });
    await page.locator(".lane-name").first().waitFor();
    const attributes = await page.evaluate(() =>
      [...document.querySelectorAll("#app *")].flatMap((element) =>
        element
          .getAttributeNames()
          .filter((name) => name.startsWith("on") || name === "srcdoc" || name === "style")
          .map((name) => `${name}=${element.getAttribute(name)}`),
      ),
    );
    expect(attributes.filter((each) => !each.startsWith("style="))).toEqual([]);
    expect(attributes.filter((each) => /url|expression|<|script/i.test(each))).toEqual([]);
    watched.errorsExpected = true;
    await page.evaluate(() => {
      location.hash = "#/r/<img src=x onerror=window.ran=6>/../../..";
    });
    await page.getByRole("alert").waitFor();
    await nothingRan(page);
  });

  it("could not run even if it got into the page: the policy forbids it", async () => {
    const { page, watched, url } = await open({ bodies: { "a.sse": HOSTILE } });
    watched.errorsExpected = true;
    await page.locator(".lane-name").first().waitFor();
    const outcome = await page.evaluate(async (body) => {
      const tried: Record<string, string> = {};
      const attempt = (name: string, act: () => void): void => {
        try {
          act();
          tried[name] = "allowed";
        } catch (error) {
          tried[name] = (error as Error).name;
        }
      };
      attempt("innerHTML", () =>
        (document.body.lastElementChild as HTMLElement).insertAdjacentHTML(
          "beforeend",
          "<img src=x onerror='window.ran=7'>",
        ),
      );
      attempt("inline script", () => {
        const script = document.createElement("script");
        script.append("window.ran=9");
        document.body.append(script);
      });
      attempt("a body as a script", () => {
        const script = document.createElement("script");
        script.setAttribute("src", body);
        document.body.append(script);
      });
      // What the test itself evaluates is not bound by the policy: what runs later is.
      await new Promise<void>((resolve) => {
        setTimeout(() => {
          attempt(
            "eval",
            () => void Reflect.apply(Reflect.get(globalThis, "eval") as () => void, undefined, ["window.ran=8"]),
          );
          resolve();
        });
      });
      const elsewhere = await fetch("http://127.0.0.1:9/").then(
        () => "reached",
        () => "refused",
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { ...tried, elsewhere, ran: Reflect.get(globalThis, "ran") as unknown };
    }, `${url}api/body/1`);
    expect(outcome).toMatchObject({ innerHTML: "TypeError", eval: "EvalError", elsewhere: "refused", ran: undefined });
    watched.requests.length = 0;
  });

  it("is harmless as bytes too: no UTF-8, no JSON, no end", async () => {
    const junk = Uint8Array.from({ length: 5000 }, (_, at) => (at * 197 + (at >> 3)) % 256);
    const deep = bytesOf(`${chatBody([fragment(0, `{"a":${"[".repeat(5000)}`, "d", "deep")], null)}data: {"cut`);
    const seen = await open({
      bodies: { junk, "deep.sse": deep, empty: "", "page.html": "<!doctype html><script>window.ran=1</script>" },
    });
    const { page } = seen;
    for (const name of ["junk", "deep.sse", "empty", "page.html"]) {
      await page.locator(".entry").filter({ hasText: name }).click();
      await page.locator("h1").filter({ hasText: name }).waitFor();
      for (const tab of ["Frames", "Other readers", "Turn"]) await page.getByRole("tab", { name: tab }).click();
      await page.keyboard.press("End");
      await page.keyboard.press("Home");
      await nothingRan(page);
    }
  });
});
