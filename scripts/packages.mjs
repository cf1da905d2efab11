// Which packages the workspace holds and what each lets others import: read from the manifests, so that no list of
// theirs is kept anywhere else.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./toolchain.mjs";

/**
 * One thing to import.
 *
 * @typedef {object} Entry
 * @property {string} name as it is imported, `unbraid/json`
 * @property {string} built what it resolves to, from the root of the workspace
 * @property {string} source what that is compiled from, from the root of the workspace
 */

/** @typedef {{ name: string, exports?: Record<string, { default: string }> }} Manifest */

/** The folders of all packages, from the root of the workspace, each with its name and entries. */
export const packages = readdirSync(join(root, "packages"))
  .map((name) => `packages/${name}`)
  .filter((folder) => existsSync(join(root, folder, "package.json")))
  .map((folder) => {
    const manifest = /** @type {Manifest} */ (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")));
    /** @type {Entry[]} */
    const entries = Object.entries(manifest.exports ?? {}).map(([path, { default: built }]) => ({
      name: manifest.name + path.slice(1),
      built: folder + built.slice(1),
      source: (folder + built.slice(1)).replace("/dist/", "/src/").replace(/\.js$/, ".ts"),
    }));
    return { folder, name: manifest.name, entries };
  });

/** The entries of all packages. */
export const entries = packages.flatMap((one) => one.entries);
