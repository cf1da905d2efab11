// Every part of a reader, for those who want them all: the main entry, the models and the loop.

import { fastPath, type FastPathPart } from "./fast-path.ts";
import type { MakeFramer } from "../framing/frame.ts";
import { jsonBodies } from "../framing/json.ts";
import { liveValues, type LiveValuesPart } from "./live-values.ts";
import { repair, type RepairPart } from "./repair.ts";

/** The options that take parts. */
interface PartOptions {
  readonly liveValues?: LiveValuesPart;
  readonly repair?: RepairPart;
  readonly fastPath?: FastPathPart | boolean;
  readonly jsonBodies?: MakeFramer;
}

/** The options with every part that they do not turn off. */
export function withParts<Options extends PartOptions>(options: Options): Options {
  return { liveValues, repair, jsonBodies, ...options, fastPath: options.fastPath === false ? false : fastPath };
}
