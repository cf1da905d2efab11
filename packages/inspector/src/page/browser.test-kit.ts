// The page in a real browser. Owns the browser, and what is watched while any test uses it: errors, and requests that
// would leave this computer.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { createInspector, type Inspector, type InspectorOptions } from "../server/inspector.ts";
import { bytesOf } from "../model/bodies.test-kit.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Whatever the page may try: no name leads anywhere.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];

/** A page that looks at an inspector. */
export interface Seen {
  readonly inspector: Inspector;
  readonly page: Page;
  readonly url: string;
  /** What the browser complained of, and every address that it asked for. */
  readonly watched: Watched;
}

/** What is watched. */
interface Watched {
  readonly errors: string[];
  readonly requests: string[];
  /** Set by a test that makes the browser complain. */
  errorsExpected: boolean;
}

/** What a test opens. */
interface OpenOptions extends BrowserContextOptions {
  /** Bodies by their names. */
  readonly bodies?: Readonly<Record<string, string | Uint8Array>>;
  /** Behind the page's address. */
  readonly hash?: string;
  readonly inspector?: InspectorOptions;
}

/** Opens the page. */
export type OpenPage = (options?: OpenOptions) => Promise<Seen>;

/**
 * Starts the browser for the tests of a file. After each test nothing may have gone wrong in the page, and no request may
 * have left it for anywhere but its own server.
 *
 * @param path The browser's program.
 */
export function browserTests(path: string): OpenPage {
  let browser: Browser | undefined;
  /** The page of all tests that want nothing special: a process of its own for each would cost more than the test. */
  let common: Page | undefined;
  let watched = newWatched();
  const seen: Seen[] = [];
  beforeAll(async () => {
    const page = fileURLToPath(new URL("../../web/index.html", import.meta.url));
    if (!existsSync(page)) throw new Error("the page is not built: run npm run build");
    browser = await chromium.launch({ executablePath: path, args: FLAGS });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    const opened = seen.splice(0);
    for (const { page, inspector } of opened) {
      if (page === common) await page.goto("about:blank");
      else await page.context().close();
      await inspector.close();
    }
    const own = [...opened.map(({ url }) => `${new URL(url).origin}/`), "blob:", "about:blank"];
    expect(watched.requests.filter((each) => !own.some((start) => each.startsWith(start)))).toEqual([]);
    if (!watched.errorsExpected) expect(watched.errors).toEqual([]);
  });
  const newPage = async (options: BrowserContextOptions): Promise<Page> => {
    if (browser === undefined) throw new Error("no browser");
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    context.on("request", (request) => watched.requests.push(request.url()));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) watched.errors.push(message.text());
    });
    page.on("pageerror", (error) => watched.errors.push(String(error)));
    page.on("dialog", (dialog) => {
      watched.errors.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  };
  return async ({ bodies = {}, hash = "", inspector: inspectorOptions = {}, ...options } = {}) => {
    const inspector = createInspector(inspectorOptions);
    for (const [name, body] of Object.entries(bodies)) inspector.add({ name, open: () => chunks(body) });
    const url = await inspector.listen();
    const page = Object.keys(options).length > 0 ? await newPage(options) : (common ??= await newPage({}));
    if (seen.length === 0) watched = newWatched();
    const one = { inspector, page, url, watched };
    seen.push(one);
    await page.goto(url + hash);
    return one;
  };
}

function newWatched(): Watched {
  return { errors: [], requests: [], errorsExpected: false };
}

async function* chunks(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof body === "string" ? bytesOf(body) : body;
}

/** Waits until something holds. */
export async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const start = performance.now(); performance.now() - start < 30_000;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`it never came to ${what}`);
}
