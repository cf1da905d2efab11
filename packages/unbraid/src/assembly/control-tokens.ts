// Control tokens that servers leave behind a call's arguments or inside its name. Owns the list and the two cuts.
// Knows no call and no wire.

/**
 * Closing markup that is not of the form `<|word|>` or `<｜word｜>`, as chat templates spell it.
 * https://github.com/mastra-ai/mastra/pull/13829 shows the kind behind closed arguments.
 */
const CLOSERS = [
  "</tool_call>",
  "</tool_calls>",
  "</function_call>",
  "</function_calls>",
  "</function>",
  "</parameter>",
  "</invoke>",
  "</minimax:tool_call>",
  "</arg_value>",
  "</tools>",
  "</s>",
  "<tool_call|>",
  "<end_of_turn>",
  "<end_function_call>",
  "<eos>",
  "<s>",
  "[/TOOL_CALLS]",
  "[/INST]",
] as const;

/** `<|call|>`, `<｜tool▁call▁end｜>`: a short word between the bars. At the end of the text it may be cut short. */
const BAR_TOKEN = /^<([|｜])[\w\-▁ /."]{0,62}(?:\1(?:>|$)|$)/;

/**
 * Whether a text that follows a closed argument object is only control tokens and white space. A last token that is
 * cut short counts: the stream ended inside it.
 *
 * @param text What stands behind the closed value.
 * @returns False as soon as anything else stands in it.
 * @example
 * isResidue("\n</tool_call><|im_end|>"); // true
 * isResidue(" This reads the file."); // false
 */
export function isResidue(text: string): boolean {
  let rest = text.trimStart();
  if (rest === "") return false;
  while (rest !== "") {
    const token = BAR_TOKEN.exec(rest)?.[0] ?? CLOSERS.find((closer) => rest.startsWith(closer));
    if (token === undefined) return rest !== "[" && CLOSERS.some((closer) => closer.startsWith(rest));
    rest = rest.slice(token.length).trimStart();
  }
  return true;
}

/**
 * A tool's name without what leaked behind it: names never hold `<|`, so the name ends there.
 * `search<|channel|>commentary` was seen from gpt-oss servers (https://github.com/vercel/ai/issues/9967).
 *
 * @param name The name as it stands on the wire.
 * @returns The name up to the first control token, without white space around it.
 * @example
 * cutName("search<|channel|>commentary"); // "search"
 */
export function cutName(name: string): string {
  const at = name.search(/<[|｜]/);
  return (at < 0 ? name : name.slice(0, at)).trim();
}
