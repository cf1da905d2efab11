// The declared tools as rescue needs them: by the names that stand in markup, with their schemas. Owns what counts as a
// known name; on a model's raw output without declared tools every name does.

import type { DeclaredTool } from "../assembly/declared-tools.ts";
import type { KnownTool } from "./form.ts";
import { ToolSchema } from "./schema.ts";

const PREFIXES = ["", "functions.", "functions_"];
const ANY_NAME = /^[\w.\-:/]{1,128}$/;
const NO_SCHEMA = new ToolSchema(undefined);

/** See the file's head. */
export class KnownTools {
  readonly #tools: ReadonlyMap<string, KnownTool> | undefined;
  readonly #names: ReadonlySet<string> | undefined;

  /** @param tools Undefined: every name is known. */
  constructor(tools: readonly DeclaredTool[] | undefined) {
    this.#tools =
      tools && new Map(tools.map(({ name, parameters }) => [name, { name, schema: new ToolSchema(parameters) }]));
    this.#names = this.#tools && new Set(this.#tools.keys());
  }

  /** Whether tools were declared. */
  get areDeclared(): boolean {
    return this.#tools !== undefined;
  }

  /**
   * The tool that a name in markup stands for.
   *
   * @param spelled `counted`: a number may stand behind the name, `functions.NAME:0`. `addressed`: the name is a recipient,
   *   and one without the namespace `functions` a tool of the model's vendor.
   */
  tool(name: string, spelled: "plain" | "counted" | "addressed"): KnownTool | undefined {
    const tools = this.#tools;
    const bare = name.replace(/^functions[._]/, "");
    if (tools !== undefined) {
      const known = tools.get(name) ?? tools.get(bare);
      if (known !== undefined) return known;
      if (spelled === "counted") return tools.get(withoutCount(name, bare));
      return spelled === "addressed" ? tools.get(withoutChannel(bare)) : undefined;
    }
    if (!ANY_NAME.test(name)) return undefined;
    const known = { name: spelled === "counted" ? withoutCount(name, bare) : bare, schema: NO_SCHEMA };
    return spelled === "addressed" && bare === name ? { ...known, builtin: true } : known;
  }

  /** Whether a name that was cut after these characters may have become a known one. */
  mayBecomeTool(start: string): boolean {
    if (this.#names === undefined) return start === "" || ANY_NAME.test(start);
    for (const name of this.#names) {
      for (const prefix of PREFIXES) {
        const full = prefix + name;
        if (full.startsWith(start) || (start.startsWith(full) && /^[:_]\d*$/.test(start.slice(full.length))))
          return true;
      }
    }
    return false;
  }
}

/** `functions.NAME:0`, `functions_NAME_0`, `NAME:0`; without the namespace, `_0` is a part of the name. */
function withoutCount(name: string, bare: string): string {
  return bare.replace(bare === name ? /:\d+$/ : /[:_]\d+$/, "");
}

/** A recipient whose tokens were stripped has the channel's name glued to it. */
function withoutChannel(name: string): string {
  return name.replace(/(?:commentary|analysis)$/, "");
}
