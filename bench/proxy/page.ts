// Figures in pages. Owns the places for them: pairs of marks in Markdown, between which a script writes.

import { readFileSync, writeFileSync } from "node:fs";

/**
 * Puts a text between the marks that stand for it.
 *
 * @throws Error where the page has no such place.
 */
export function put(page: string, mark: string, text: string): void {
  const path = new URL(`../../${page}`, import.meta.url).pathname;
  const before = readFileSync(path, "utf8");
  const place = new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- /${mark} -->)`);
  if (!place.test(before)) throw new Error(`${page} has no place for ${mark}`);
  writeFileSync(
    path,
    before.replace(place, (_, open: string, close: string) => `${open}\n${text}\n\n${close}`),
  );
}
