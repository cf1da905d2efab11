// Which files a path on the command line stands for. Owns the walk through folders: nothing outside of the folder that was
// named is ever reached, and what cannot be a body is left out.

import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { InputFailure } from "../failure.ts";
import { BODY, PERHAPS } from "../input/body-names.ts";
import { inputFailure } from "../input/open.ts";

/** A file that may hold a body. */
export interface BodyFile {
  /** As the user would write it. */
  readonly name: string;
  /** Where it really is, without symbolic links. */
  readonly path: string;
  /** False for a pipe or a device, which can be read only once. */
  readonly regular: boolean;
  /** Found in a folder under an ending that other files have, too: what is in it tells whether it is a body. */
  readonly perhaps: boolean;
}

/** What a path stands for. */
export interface Found {
  readonly files: readonly BodyFile[];
  /** Files in a folder that were left out: their names end in nothing that bodies are kept under. */
  readonly passedOver: number;
  /** There are more files than are listed. */
  readonly more: boolean;
}

/** Files that are listed at most. */
const MAX_FILES = 50_000;
/** Levels of folders that are walked. */
const MAX_DEPTH = 32;

/**
 * The files of a path: itself, or all bodies in the folder and below it, by name.
 *
 * @param path A file or a folder.
 * @param limit Files that are listed at most.
 * @throws InputFailure where there is nothing at the path, or it cannot be looked into.
 */
export async function bodiesOf(path: string, limit: number = MAX_FILES): Promise<Found> {
  try {
    const root = await realpath(path);
    const found = await stat(root);
    if (!found.isDirectory())
      return {
        files: [{ name: path, path: root, regular: found.isFile(), perhaps: false }],
        passedOver: 0,
        more: false,
      };
    return await walked(path, root, limit);
  } catch (error) {
    throw error instanceof InputFailure ? error : inputFailure(error);
  }
}

async function walked(name: string, root: string, limit: number): Promise<Found> {
  const files: BodyFile[] = [];
  let passedOver = 0;
  const walk = async (shown: string, folder: string, depth: number): Promise<boolean> => {
    const entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const names = entries.map(({ name: each }) => each);
    for (const entry of entries) {
      if (entry.name.startsWith(".") || entry.name === "node_modules" || isBeside(entry.name, names)) continue;
      const at = join(shown, entry.name);
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH && !(await walk(at, join(folder, entry.name), depth + 1))) return false;
        continue;
      }
      const path =
        BODY.test(entry.name) || PERHAPS.test(entry.name) ? await within(root, join(folder, entry.name)) : undefined;
      if (path === undefined) passedOver++;
      else if (files.length >= limit) return false;
      else files.push({ name: at, path, regular: true, perhaps: !BODY.test(entry.name) });
    }
    return true;
  };
  const all = await walk(name, root, 0);
  return { files, passedOver, more: !all };
}

/** A file of a recording that stands beside its body: the exchange (`X.json` of `X.openai-chat.sse`), and the times. */
function isBeside(name: string, names: readonly string[]): boolean {
  if (name.endsWith(".times")) return true;
  if (!name.endsWith(".json")) return false;
  const stem = name.slice(0, -"json".length);
  return names.some((each) => each !== name && each.startsWith(stem) && names.includes(`${each}.times`));
}

/** Where a file really is; undefined where that is outside of the folder, or no file. */
async function within(root: string, path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined;
    return (await lstat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes sure that a file still is what was found: a link put in its place later leads nowhere.
 *
 * @throws InputFailure where it is not.
 */
export async function checkUnchanged({ path }: BodyFile): Promise<void> {
  try {
    if ((await realpath(path)) === path && (await lstat(path)).isFile()) return;
  } catch (error) {
    throw inputFailure(error);
  }
  throw new InputFailure("moved", "something else is in its place now", undefined);
}
