import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { entries } from "./scripts/packages.mjs";

// Tests read the packages from their sources, so they need no build.
const alias = entries.map(({ name, source }) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(source, import.meta.url)),
}));

const tests = ["packages/*/src/**/*.test.ts", "conformance/**/*.test.ts"];
const longTests = ["**/*.long.test.ts"];

// `vitest run` leaves the long tests out; `vitest run --mode long` runs them alone.
export default defineConfig(({ mode }) => ({
  resolve: { alias },
  test: {
    include: mode === "long" ? longTests : tests,
    exclude: ["**/node_modules/**", "**/dist/**", ...(mode === "long" ? [] : longTests)],
    // A page draws when it comes to it.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: mode === "long" ? 600_000 : 60_000,
    typecheck: {
      enabled: mode !== "long",
      include: ["packages/*/src/**/*.test-d.ts"],
      tsconfig: "tsconfig.types.json",
    },
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.test-*.ts"],
      reporter: ["text", "html"],
    },
  },
}));
