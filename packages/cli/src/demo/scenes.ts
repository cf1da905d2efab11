// The scenes of the demo: bodies of our own, raw as a server would send them, and what to watch in each. Owns the list; the
// bodies are files in the package's `demo` folder.

import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** One scene. */
export interface Scene {
  readonly title: string;
  /** A sentence or two on what to watch. */
  readonly watch: string;
  /** Where the body is. */
  readonly path: string;
  /** The same, as short as it can be typed from here. */
  readonly file: string;
}

const FOLDER = new URL("../../demo/", import.meta.url);

function scene(name: string, title: string, watch: string): Scene {
  const path = fileURLToPath(new URL(name, FOLDER));
  const short = relative(process.cwd(), path);
  return { title, watch, path, file: short.length < path.length ? short : path };
}

/** The scenes, in order. */
export const scenes: readonly Scene[] = [
  scene(
    "1-parallel.openai-chat.sse",
    "Two calls at once",
    "Two calls come in turns, each in its lane. No fragment is JSON by itself, and the text so far fails to parse until the last one. Nothing is wrong here.",
  ),
  scene(
    "2-one-index.openai-chat.sse",
    "Two calls under one index",
    "This server numbers every call 0. A client that keeps calls by index glues the two together, under the last id.",
  ),
  scene(
    "3-repeat.openai-chat.sse",
    "The same call twice",
    "The call is whole, and then it comes once more in one piece, under the same index and id. It is one call, not two, and not one long broken one.",
  ),
  scene(
    "4-cut.anthropic.sse",
    "Cut short",
    'The server fails when delete_files has begun and has no arguments yet. Most clients read "no arguments" as {} and run it.',
  ),
  scene(
    "5-malformed.openai-responses.sse",
    "Not JSON",
    "The model writes Python's True, a raw line break in a string and a comma too many. The call must not run as it stands; there is one reading of it, which is offered.",
  ),
];
