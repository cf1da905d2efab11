import { expect, test } from "vitest";
import { wires } from "unbraid";
import { rescueForms } from "unbraid/rescue";
import { columnsOfLine, run } from "../io.test-kit.ts";

test("lists every wire and every form, within 80 columns", async () => {
  const { status, out } = await run(["formats"]);
  expect(status).toBe(0);
  for (const name of Object.keys(wires)) expect(out).toContain(name);
  for (const { name } of rescueForms) expect(out).toContain(name);
  expect(Math.max(...out.split("\n").map(columnsOfLine))).toBeLessThanOrEqual(80);
});

test("--json holds the same, for machines", async () => {
  const { out } = await run(["formats", "--json"]);
  const listed = JSON.parse(out) as { wires: { name: string }[]; forms: { name: string }[] };
  expect(listed.wires.map(({ name }) => name)).toEqual(Object.keys(wires));
  expect(listed.forms).toHaveLength(rescueForms.length);
});
