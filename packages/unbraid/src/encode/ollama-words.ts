// What the streamed and the whole form of an Ollama answer share: token counts.

import type { Usage } from "./usage.ts";

/** Token counts as Ollama spells them; nothing where there are none. */
export function ollamaUsage(usage: Usage): Readonly<Record<string, unknown>> {
  const own = usage.rawFor("ollama");
  if (own !== undefined) return own;
  const { counts } = usage;
  return {
    ...(counts?.input === undefined ? {} : { prompt_eval_count: counts.input }),
    ...(counts?.output === undefined ? {} : { eval_count: counts.output }),
  };
}
