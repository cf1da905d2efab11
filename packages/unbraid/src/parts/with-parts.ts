// Every part of a reader, for those who want them all: the main entry, the models and the loop.

import { fastPath, type FastPathPart } from "./fast-path.ts";
import { liveValues, type LiveValuesPart } from "./live-values.ts";
import { repair, type RepairPart } from "./repair.ts";

/** The options that take parts. */
interface PartOptions {
  readonly liveValues?: LiveValuesPart | undefined;
  readonly repair?: RepairPart | undefined;
  readonly fastPath?: FastPathPart | boolean | undefined;
}

/** The options with every part that they do not turn off. */
export function withParts<Options extends PartOptions>(options: Options): Options {
  const fast = options.fastPath ?? true;
  return {
    ...options,
    liveValues: options.liveValues ?? liveValues,
    repair: options.repair ?? repair,
    fastPath: fast === true ? fastPath : fast,
  };
}
