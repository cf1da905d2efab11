// What the package shows, and that the use of one store loads nothing of another.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const src = fileURLToPath(new URL(".", import.meta.url));
const manifest = JSON.parse(readFileSync(join(src, "../package.json"), "utf8")) as {
  exports: Record<string, { types: string; default: string }>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
};

const SURFACE: Readonly<Record<string, readonly string[]>> = {
  "./sqlite": ["sqliteLedger"],
  "./postgres": ["postgresLedger", "postgresLedgerSchema"],
  "./valkey": ["valkeyLedger"],
};

/** The files that a file loads as soon as it is loaded itself, and the packages. */
function loads(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.startsWith("./")) return seen;
  const text = readFileSync(join(src, file), "utf8");
  for (const [, type, from = ""] of text.matchAll(/^(?:import|export)\b(\s+type\b)?[^;"']*?\bfrom\s+"([^"]+)"/gm))
    if (type === undefined) loads(from, seen);
  return seen;
}

describe("the package", () => {
  test("has exactly these entries", () => expect(Object.keys(manifest.exports)).toEqual(Object.keys(SURFACE)));

  test.each(Object.entries(SURFACE))("shows at %s exactly this", async (entry, names) => {
    expect(Object.keys((await import(/* @vite-ignore */ `${entry}.ts`)) as object).toSorted()).toEqual(names);
  });

  test("loads no driver and no other store before it is used", () => {
    const drivers = Object.keys(manifest.peerDependencies);
    expect(drivers.map((name) => manifest.peerDependenciesMeta[name]?.optional)).toEqual([true, true]);
    for (const entry of Object.keys(SURFACE)) {
      const loaded = [...loads(`${entry}.ts`)];
      expect(loaded, entry).toContain("./kept-call.ts");
      expect(
        loaded.filter((name) => drivers.includes(name)),
        entry,
      ).toEqual([]);
      expect(loaded.filter((name) => Object.hasOwn(SURFACE, name.replace(/\.ts$/, "")))).toEqual([`${entry}.ts`]);
      if (entry !== "./sqlite") expect(loaded).not.toContain("node:sqlite");
    }
  });

  test("says in the first lines of each file what it owns", () => {
    for (const file of readdirSync(src)) expect(readFileSync(join(src, file), "utf8").slice(0, 3), file).toBe("// ");
  });
});
