// What the streamed and the whole form of a Chat answer share: token counts, errors.

import type { WireError } from "../events.ts";
import type { Usage } from "./usage.ts";

/** Token counts as Chat spells them; undefined where there are none. */
export function chatUsage(usage: Usage): Readonly<Record<string, unknown>> | undefined {
  const own = usage.rawFor("openai-chat");
  if (own !== undefined) return own;
  const { counts } = usage;
  if (counts === undefined) return undefined;
  const { input = 0, output = 0, cached, reasoning } = counts;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** An error body, the same for Chat and Responses. */
export function chatError({ code, message }: WireError): Readonly<Record<string, unknown>> {
  return { error: { message, type: "upstream_error", param: null, code } };
}
