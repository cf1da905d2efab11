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

/** The longest token looked at; a longer run between bars is no token. */
const MAX_TOKEN = 64;

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
  let at = 0;
  let tokens = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10 || code === 13 || code === 9) {
      at++;
      continue;
    }
    const length = tokenLength(text, at);
    if (length === 0) return false;
    tokens++;
    at += length;
  }
  return tokens > 0;
}

/** Length of the control token at `at`, or of a proper start of one that the text ends in; 0 where there is none. */
function tokenLength(text: string, at: number): number {
  const bar = text.charAt(at + 1);
  if (text.charAt(at) === "<" && (bar === "|" || bar === "｜")) return barLength(text, at, bar);
  const rest = text.slice(at, at + MAX_TOKEN);
  for (const closer of CLOSERS) {
    if (rest.startsWith(closer)) return closer.length;
    if (rest.length > 1 && rest.length < closer.length && closer.startsWith(rest)) return rest.length;
  }
  return rest === "<" ? 1 : 0;
}

/** `<|call|>`, `<｜tool▁call▁end｜>`: a word of letters, digits, `_`, `-`, `▁` or spaces between the bars. */
function barLength(text: string, at: number, bar: string): number {
  for (let i = at + 2; i < text.length; i++) {
    if (i - at > MAX_TOKEN) return 0;
    const char = text.charAt(i);
    if (char === bar) return i + 1 >= text.length ? i + 1 - at : text.charAt(i + 1) === ">" ? i + 2 - at : 0;
    if (!/[\w\-▁ /."]/.test(char)) return 0;
  }
  return text.length - at;
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
