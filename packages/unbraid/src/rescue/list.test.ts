// The forms as people see them: what is listed is recovered, and stands in the documentation in the same spelling.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FORMS } from "./forms.ts";
import { rescueForms } from "./index.ts";
import { ask } from "./rescue.test-kit.ts";

const page = readFileSync(new URL("../../../../docs/rescue.md", import.meta.url), "utf8");

/** A spelling as it stands in a cell of a table: `↵` is a line end, bars are escaped. */
function cell(example: string): string {
  const text = example.replaceAll("\n", "↵").replaceAll("|", "\\|");
  return text.includes("`") ? `\`\`\`\` ${text} \`\`\`\`` : `\`${text}\``;
}

test.each(rescueForms)("$name", ({ name, models, example }) => {
  const got = ask(example);
  expect(got.text).toBe("");
  expect(got.calls.map((call) => [call.name, call.arguments])).toEqual([["get_weather", { city: "Oslo" }]]);
  expect(got.notices.find(({ code }) => code === "rescued-call")?.message).toContain(`"${name}"`);
  expect(page).toContain(`| \`${name}\` | ${models} | ${cell(example)} |\n`);
});

test("all are listed", () => {
  expect(rescueForms.map(({ name }) => name)).toEqual(FORMS.map(({ name }) => name));
});
