// The built page. Owns which of its files are served: those that are in the folder when the server starts, by a name out of
// that list, so that no path of a request ever reaches the file system.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A file of the page. */
export interface Asset {
  /** Its media type. */
  readonly type: string;
  /** Its content. */
  readonly content: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Where `npm run build` puts the page: beside `src` and `dist`. */
const FOLDER = fileURLToPath(new URL("../../web/", import.meta.url));

/**
 * The files by their path in the page's address.
 *
 * @throws Error where the page has not been built.
 */
export function loadAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const path of filesOf(FOLDER)) {
    const type = TYPES[path.split(".").at(-1) ?? ""];
    if (type !== undefined) assets.set(path, { type, content: readFileSync(FOLDER + path) });
  }
  const index = assets.get("index.html");
  if (index === undefined) throw new Error("the inspector's page is not built: run npm run build");
  return assets.set("", index);
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  } catch {
    return [];
  }
}
