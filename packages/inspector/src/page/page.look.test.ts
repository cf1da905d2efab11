// The page on a phone, in the dark, for a screen reader, and with 50,000 fragments, in a real browser.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeWith } from "../../../ledger/src/servers.test-kit.ts";
import { chatBody, fragment, longBody } from "../model/bodies.test-kit.ts";
import { browserTests, eventually } from "./browser.test-kit.ts";

const SMALL = chatBody([fragment(0, '{"city":"Oslo"}', "call_a", "get_weather"), { content: "x".repeat(300) }]);

const FRAGMENTS = 50_000;
const STEPS = 60;

await describeWith("chromium", "the look of the page in a browser", (path) => {
  const open = browserTests(path);

  it("fits a phone: the list, then the response, nothing beside the screen", async () => {
    const { page } = await open({
      bodies: { "a-rather-long-name-of-a-recording-that-does-not-fit.sse": SMALL, "b.sse": SMALL },
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    const fits = async (): Promise<void> => {
      const { wide, over } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        over: [...document.querySelectorAll("main, .side, .response > *")]
          .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
          .map((each) => each.className),
      }));
      expect({ wide, over }).toEqual({ wide: 390, over: [] });
    };
    await page.locator(".entry").first().tap();
    await page.locator(".lane-name").first().waitFor();
    await fits();
    await expect.poll(async () => page.locator(".side").isVisible()).toBe(false);
    for (const tab of ["Other readers", "Turn", "Report", "Frames"]) {
      await page.getByRole("tab", { name: tab }).tap();
      await fits();
    }
    await page.getByRole("button", { name: "Frame before" }).tap();
    await page.getByRole("link", { name: "To the list" }).tap();
    await page.locator(".entry").nth(1).waitFor();
    await fits();
  });

  it("is dark where the system is, and as the user likes it from then on", async () => {
    const { page } = await open({ bodies: { "a.sse": SMALL }, colorScheme: "dark" });
    const brightness = async (): Promise<number> =>
      page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0]));
    await page.locator(".lane-name").first().waitFor();
    await page.keyboard.press("Home");
    expect(await brightness()).toBeLessThan(60);
    // The picture is painted, not styled: it must know too.
    await expect.poll(async () => veil(page)).toBeLessThan(60);
    await page.keyboard.press("t");
    await eventually(async () => (await brightness()) > 200, "a light page");
    await eventually(async () => (await veil(page)) > 200, "a light picture");
    await page.reload();
    await page.locator(".lane-name").first().waitFor();
    expect(await brightness()).toBeGreaterThan(200);
  });

  it.each(["light", "dark"] as const)("can be read: every text has enough contrast, %s", async (colorScheme) => {
    const { page } = await open({ hash: "#/learn/cut", colorScheme });
    await page.locator(".lesson li").first().waitFor();
    await page.keyboard.press("End");
    const poor = await page.evaluate(() => {
      const parse = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
      const luminance = ([r = 0, g = 0, b = 0]: number[]): number => {
        const [x = 0, y = 0, z = 0] = [r, g, b].map((each) =>
          each / 255 <= 0.03928 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
      };
      const background = (element: Element | null): number[] => {
        for (let at = element; at !== null; at = at.parentElement) {
          const color = parse(getComputedStyle(at).backgroundColor);
          if (color[3] !== 0) return color;
        }
        return [255, 255, 255];
      };
      const found = new Set<string>();
      for (const element of document.querySelectorAll("#app *")) {
        const text = [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== "",
        );
        if (!text || element.closest(".future, :disabled, .sign") !== null) continue;
        const [one, other] = [
          luminance(parse(getComputedStyle(element).color)),
          luminance(background(element)),
        ].toSorted((a, b) => b - a);
        const contrast = ((one ?? 0) + 0.05) / ((other ?? 0) + 0.05);
        if (contrast < 4.4)
          found.add(`${element.className} ${element.textContent?.slice(0, 20)}: ${contrast.toFixed(1)}`);
      }
      return [...found];
    });
    expect(poor).toEqual([]);
  });

  it("speaks to a screen reader: landmarks, names, states, where one stands", async () => {
    const { page } = await open({ bodies: { "a.sse": SMALL, "b.sse": SMALL }, hash: "#/r/1" });
    await page.locator(".lane-name").first().waitFor();
    for (const tab of ["Frames", "Other readers", "Turn", "Report"]) {
      await page.getByRole("tab", { name: tab }).click();
      const nameless = await page.evaluate(() =>
        [
          ...document.querySelectorAll(
            "button, a, input, select, canvas:not([aria-hidden]), [role=img], dialog, [role=tabpanel]",
          ),
        ]
          .filter((element) => {
            const named =
              element.getAttribute("aria-label") ?? element.getAttribute("aria-labelledby") ?? element.textContent;
            return (named ?? "").trim() === "";
          })
          .map((element) => element.outerHTML.slice(0, 80)),
      );
      expect(nameless).toEqual([]);
    }
    for (const [role, name] of [
      ["main", "Response"],
      ["navigation", "Responses"],
      ["region", "Time line"],
      ["region", "At this moment"],
      ["tabpanel", "Report"],
    ] as const)
      await expect.poll(async () => page.getByRole(role, { name, exact: true }).count(), { message: name }).toBe(1);
    await page.keyboard.press("Home");
    const slider = page.getByRole("slider", { name: "Frame" });
    expect(await slider.getAttribute("aria-valuetext")).toBe("before the first frame");
    await page.keyboard.press("ArrowRight");
    expect(await slider.getAttribute("aria-valuetext")).toBe("frame 0 of 3");
    await expect.poll(async () => page.locator("output[aria-live=polite]").innerText()).toContain("0");
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
  });

  it("leads past the list with the first stop of the tab key", async () => {
    const { page } = await open({ bodies: { "a.sse": SMALL, "b.sse": SMALL } });
    await page.locator(".entry").first().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("skip");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("view");
  });

  it(`stays smooth with ${FRAGMENTS} fragments`, async () => {
    const { page } = await open({ bodies: { "a.sse": SMALL, "long.sse": longBody(FRAGMENTS) } });
    await page.locator(".entry").filter({ hasText: "long.sse" }).filter({ hasText: "1 call" }).waitFor();
    const work = await cpuTime(page);
    const loading = await page.evaluate(async () => {
      const start = performance.now();
      location.hash = "#/r/2";
      while (
        document.querySelector(".lane-name") === null ||
        !document.querySelector("h1")?.textContent?.includes("long")
      )
        await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - start;
    });
    const loadingWork = await work();
    await expect.poll(async () => page.locator(".facts").innerText()).toContain("50,002 frames");
    await work();
    const scrubbing = await page.evaluate(
      async ({ last, steps }) => {
        const slider = document.querySelector<HTMLInputElement>(".scrubber");
        if (slider === null) throw new Error("no slider");
        let elements = 0;
        const start = performance.now();
        for (let step = 0; step < steps; step++) {
          // Back and forth, near and far.
          slider.value = String(Math.round(last * Math.abs(Math.sin(step * 0.7))));
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          await new Promise((resolve) => requestAnimationFrame(resolve));
          await new Promise((resolve) => setTimeout(resolve));
          elements = Math.max(elements, document.querySelectorAll("*").length);
        }
        return { rate: (steps * 1000) / (performance.now() - start), elements };
      },
      { last: FRAGMENTS, steps: STEPS },
    );
    const stepWork = (await work()) / STEPS;
    const shapes = Number(await page.locator(".picture canvas").first().getAttribute("data-shapes"));
    process.stdout.write(
      `${FRAGMENTS} fragments: shown after ${Math.round(loading)} ms (${Math.round(loadingWork)} ms of work), ` +
        `scrubbed at ${Math.round(scrubbing.rate)} frames a second (${stepWork.toFixed(1)} ms of work each), ` +
        `${scrubbing.elements} elements, ${shapes} shapes\n`,
    );
    expect(scrubbing.elements).toBeLessThan(1500);
    expect(shapes).toBeLessThan(1300);
    // What the clock says depends on who else uses this machine; what the page's thread had to do does not.
    expect(loadingWork).toBeLessThan(2000);
    expect(stepWork).toBeLessThan(1000 / 30);
  });
});

/** The brightness of what covers fragments that have not come yet. */
async function veil(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelectorAll<HTMLCanvasElement>(".picture canvas")[1];
    const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (canvas === undefined || copy === null) throw new Error("no picture");
    copy.drawImage(canvas, 3 - canvas.width, 10 - canvas.height);
    const pixel = copy.getImageData(0, 0, 1, 1).data;
    return pixel[0] ?? Number.NaN;
  });
}

/** Measures the milliseconds that the page's main thread has worked since it was asked last. */
async function cpuTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  let before = 0;
  const since = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    const total = 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
    const worked = total - before;
    before = total;
    return worked;
  };
  await since();
  return since;
}
