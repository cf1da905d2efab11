// node --import ./scripts/from-sources.mjs FILE
//
// Lets a program import the packages from their sources, as the tests do: for processes that tests start.

import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { entries } from "./packages.mjs";
import { root } from "./toolchain.mjs";

const sources = new Map(entries.map(({ name, source }) => [name, pathToFileURL(join(root, source)).href]));

registerHooks({
  resolve: (specifier, context, next) => next(sources.get(specifier) ?? specifier, context),
});
