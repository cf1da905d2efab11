// The exchanges of a proxy, live in the page. Owns which of them are shown and what they are called.

import type { Inspector, LiveResponse } from "@unbraid/inspector";
import type { AnswerHead, ExchangeInfo, ExchangeListener, Observer } from "@unbraid/server";
import { declaredTools, type Tool } from "../tools/declared.ts";

/** Content types that only streams come in. */
const STREAMS = /^(?:text\/event-stream|application\/(?:x-ndjson|jsonl|vnd\.amazon\.eventstream))\b/i;

/** Shows every answer of a model that goes by, as it comes. */
export function liveObserver(inspector: Inspector): Observer {
  return {
    begin: (exchange): ExchangeListener => {
      let tools: readonly Tool[] | undefined;
      let response: LiveResponse | undefined;
      return {
        request: (body) => {
          tools = toolsIn(body);
        },
        head: (head) => {
          if (!isShown(exchange, head)) return;
          response = inspector.open({
            name: nameOf(exchange, head),
            ...(exchange.protocol === undefined ? {} : { protocol: exchange.protocol }),
            ...(tools === undefined ? {} : { tools }),
          });
        },
        bytes: (chunk, ms) => response?.push(chunk, ms),
        end: ({ error }) => response?.end(error),
      };
    },
  };
}

/** A list of models or the upstream's own page is not what anybody looks for here. */
function isShown({ protocol }: ExchangeInfo, { headers }: AnswerHead): boolean {
  // The fields stand flat: name, value, name, value.
  const at = headers.findIndex((each, index) => index % 2 === 0 && /^content-type$/i.test(each));
  return protocol !== undefined || (at >= 0 && STREAMS.test(headers[at + 1] ?? ""));
}

/** Without the query, which may hold a key. */
function nameOf({ method, url, upstream }: ExchangeInfo, { status }: AnswerHead): string {
  const path = url.split("?", 1)[0] ?? "";
  return `${method} ${path}${upstream === "" ? "" : ` (${upstream})`}${status < 400 ? "" : ` ${status}`}`;
}

function toolsIn(body: Uint8Array): readonly Tool[] | undefined {
  try {
    return declaredTools(JSON.parse(new TextDecoder().decode(body)), "the request");
  } catch {
    // No JSON, or no tools that anybody knows: the proxy says what is wrong with a request.
    return undefined;
  }
}
