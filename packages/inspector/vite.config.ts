import { defineConfig } from "vite";

// The page: a few files with no names of their own in them, served from wherever the inspector's server says.
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "web",
    emptyOutDir: true,
    target: "es2023",
    // The policy of the page allows nothing that is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
