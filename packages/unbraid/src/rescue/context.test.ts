// Code and quotations: whether a sign at the end of a text would be markup.

import { expect, test } from "vitest";
import { TextContext } from "./context.ts";

function isPlain(text: string, cut = text.length): boolean {
  const context = new TextContext();
  context.take(text.slice(0, cut));
  context.isPlain(0x3c);
  const other = new TextContext();
  other.take(text.slice(0, cut));
  other.take(text.slice(cut));
  return other.isPlain(0x3c);
}

test.each([
  "",
  "Words ",
  "Let's go. ",
  "It's John's. ",
  "`code` ",
  "``a ` b`` ",
  "`a\n\n",
  "```\ncode\n```\n",
  "```\ncode\n````\n",
  "~~~\ncode\n~~~\n",
  "  ```js\n  code\n  ```\n",
  '"quoted" ',
  "'quoted' ",
  "'it's quoted' ",
  "“quoted” ",
  "‘quoted’ ",
  "«quoted» ",
  "「quoted」",
  '"open\n',
  "'open\n",
  "“open\n",
  'A 5" disk ',
  "a 6' man ",
  'said" ',
  '" alone ',
  "> quoted\n",
  "> quoted\n\n",
  "a > b ",
  "a ~~struck~~ b ",
  "a ```inline``` b ",
  'x = "\\"" ',
])("plain behind %j", (text) => {
  for (let cut = 0; cut <= text.length; cut++) expect(isPlain(text, cut)).toBe(true);
});

test.each([
  "`",
  "a `",
  "`a\nb ",
  "``a` ",
  "```\n",
  "```js\ncode\n",
  "text\n```\ncode\n",
  "```\ncode\n``\n",
  "```\ncode\n```js\n",
  "```\ncode ```\n",
  "````\n```\n",
  "~~~\n```\n",
  "  ```\n",
  '"',
  'a "',
  '{"a":"',
  "say: '",
  "'it's ",
  "“",
  "„a“ “",
  "«",
  "「",
  "他说“",
  '他说"',
  "> ",
  "> a ",
  "a\n  > b ",
])("code or quoted behind %j", (text) => {
  for (let cut = 0; cut <= text.length; cut++) expect(isPlain(text, cut)).toBe(false);
});

test("a reset forgets everything", () => {
  const context = new TextContext();
  context.take('```\n> "`');
  context.reset();
  expect(context.isPlain(0x3c)).toBe(true);
});
