// One line a response. Owns its fields: names, counts and times, never content, never a query or a header.

import type { ExchangeInfo, ExchangeListener, Observer } from "./observer.ts";

/** Takes one line of JSON, without its end. */
export type WriteLine = (line: string) => void;

/** Writes a line when an exchange ends. */
export function logObserver(write: WriteLine): Observer {
  return {
    begin: (exchange: ExchangeInfo): ExchangeListener => ({
      end(summary) {
        const { protocol, model, status, mode, mended, calls, notices, finish, error, clientGone, ...rest } = summary;
        write(
          JSON.stringify({
            time: new Date(exchange.startedAt).toISOString(),
            event: "response",
            id: exchange.id,
            method: exchange.method,
            path: exchange.url.replace(/\?.*$/s, "").slice(0, 200),
            upstream: exchange.upstream,
            protocol,
            model: model?.slice(0, 100),
            status,
            mode,
            mended,
            calls,
            notices,
            finish,
            error,
            ...(clientGone ? { clientGone } : {}),
            ...rest,
          }),
        );
      },
    }),
  };
}
