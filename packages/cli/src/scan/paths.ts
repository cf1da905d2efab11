// Which files a scan reads. Owns the walk through directories and patterns, and which endings are bodies. Gives paths as
// it goes and keeps none, so that a million files cost no more than one.

import { opendir, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import picomatch from "picomatch";
import { BODY, PERHAPS } from "../input/body-names.ts";
import { inputFailure } from "../input/open.ts";
import { codeOf } from "../failure.ts";

/** A file to be read, or the reason why something that was asked for cannot be. */
export type Found =
  | {
      readonly path: string;
      /** Compressed bytes. */
      readonly bytes: number;
      /** Asked for by its name, or of an ending that only bodies have: it is in the report whatever is in it. */
      readonly sure: boolean;
    }
  | { readonly path: string; readonly problem: string };

/**
 * The files under some paths, in no special order. Links to directories are not followed: they may lead in a circle.
 *
 * @param paths Files, directories and patterns (`logs/**\/*.sse`). A path in a directory that is asked for too is given once.
 */
export async function* findFiles(paths: readonly string[]): AsyncGenerator<Found, void, undefined> {
  const roots = paths.filter(
    (path, at) => !paths.some((other, place) => place !== at && covers(other, path, place < at)),
  );
  for (const path of roots) {
    if (isPattern(path) && !(await exists(path))) yield* matching(path);
    else yield* under(path, true);
  }
}

/** Whether one path holds the other; of two that are the same the first holds. */
function covers(other: string, path: string, isFirst: boolean): boolean {
  const [outer, inner] = [resolve(other), resolve(path)];
  return outer === inner ? isFirst : inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isPattern(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** A walk through the folder that the pattern begins with, so that paths come as they are found. */
async function* matching(pattern: string): AsyncGenerator<Found, void, undefined> {
  const { base } = picomatch.scan(pattern);
  const matches = picomatch(pattern.replace(/^\.\//, ""));
  let none = true;
  for await (const path of walk(base === "" ? "." : base)) {
    if (typeof path !== "string") yield path;
    else if (matches(path)) {
      none = false;
      yield* under(path, true);
    }
  }
  if (none) yield { path: pattern, problem: "no file matches this pattern" };
}

async function* under(path: string, asked: boolean): AsyncGenerator<Found, void, undefined> {
  try {
    const about = await stat(path);
    if (about.isDirectory()) yield* within(path);
    else if (about.isFile()) yield { path, bytes: about.size, sure: asked || BODY.test(path) };
    // A pipe would be waited for without end.
    else if (asked) yield { path, problem: "it is neither a file nor a directory" };
  } catch (error) {
    // A file may go while we walk; one that was asked for is missed.
    if (asked || codeOf(error) !== "ENOENT") yield { path, problem: inputFailure(error).message };
  }
}

async function* within(folder: string): AsyncGenerator<Found, void, undefined> {
  for await (const path of walk(folder)) {
    if (typeof path !== "string") yield path;
    else if (BODY.test(path) || PERHAPS.test(path)) yield* under(path, false);
  }
}

/** Everything below a folder that is no directory, hidden files and folders left out, and the folders that cannot be read. */
async function* walk(folder: string): AsyncGenerator<string | Found, void, undefined> {
  const directory = await opendir(folder).catch((error: unknown) => inputFailure(error).message);
  if (typeof directory === "string") {
    yield { path: folder, problem: directory };
    return;
  }
  for await (const entry of directory) {
    if (entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}
