// What a reader may be told. Owns the names and kinds of options, and the words for one that is wrong: told at once, for most
// would else be found out only by the body that needs them.

import type { DeclaredTool } from "./assembly/declared-tools.ts";
import type { Limits } from "./assembly/limits.ts";
import type { FramingName } from "./framing/frame.ts";
import type { FastPathPart } from "./parts/fast-path.ts";
import type { LiveValuesPart } from "./parts/live-values.ts";
import type { RepairPart } from "./parts/repair.ts";
import type { RescueStage } from "./rescue/stage.ts";

/** What a reader may be told. */
export interface ReaderOptions {
  /** The tools that the request declared. They settle names early; nothing else depends on them. */
  readonly tools?: readonly DeclaredTool[];
  /** The limits; what is left out has its default. */
  readonly limits?: Partial<Limits>;
  /**
   * Recovers calls that a server left in the text: `rescue` of `unbraid/rescue`. Needs `tools`, for only declared ones are
   * recovered; on the wire `text` it works without.
   */
  readonly rescue?: RescueStage;
  /** How the body is framed; found from its first bytes when absent. */
  readonly framing?: FramingName;
  /** Milliseconds of a clock, for the arrival times in `at.time`; no times without it. Example: `() => performance.now()`. */
  readonly clock?: () => number;
  /**
   * `partial()` and `follow()`: `liveValues` of `unbraid/parts`. The readers of the main entry have them by themselves, as they
   * have the two parts below; those of the entries of one wire only where they are given them, and stay small without.
   */
  readonly liveValues?: LiveValuesPart;
  /** Offers a correction beside a malformed call: `repair` of `unbraid/parts`. Without it such a call carries none. */
  readonly repair?: RepairPart;
  /**
   * Does not parse a frame that differs from the one before it only in its fragment: `fastPath` of `unbraid/parts`. The events
   * are the same. False: every frame is parsed. True is for the main entry alone, and what it does by itself.
   */
  readonly fastPath?: FastPathPart | boolean;
}

/** What each option is, or the entry that has it as a function; those of `read()` and of a wire that is not named are passed on. */
const KINDS: Readonly<Record<string, string>> = {
  tools: "list",
  limits: "object",
  rescue: "unbraid/rescue",
  framing: "string",
  clock: "function",
  liveValues: "unbraid/parts",
  repair: "unbraid/parts",
  fastPath: "unbraid/parts",
  signal: "object",
  settleMilliseconds: "number",
  protocol: "",
};

/**
 * The options without those that are absent: undefined, or null, as in the standard's own options.
 *
 * @throws TypeError where an option is not known, or is of another kind.
 */
export function checkedOptions(options: object): ReaderOptions {
  if (typeof options !== "object" || options === null)
    throw new TypeError(`the options of a reader are an object, not ${String(options)}`);
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (kind === undefined)
      throw new TypeError(`unknown option "${name}" of a reader; known are ${Object.keys(KINDS).join(", ")}`);
    if (value === undefined || value === null) continue;
    const part = kind.includes("/");
    const fits = kind === "list" ? Array.isArray(value) : kind === "" || typeof value === (part ? "function" : kind);
    if (!fits && !(name === "fastPath" && value === false)) {
      const right = part ? `the function ${name} of "${kind}"` : `${kind === "object" ? "an" : "a"} ${kind}`;
      throw new TypeError(`the option ${name} takes ${right}, not ${String(value)}`);
    }
    given[name] = value;
  }
  return given;
}
