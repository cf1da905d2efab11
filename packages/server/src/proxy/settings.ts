// What a proxy may be told, with its defaults. Owns the numbers.

import type { Limits } from "unbraid";
import type { WriteLine } from "../observe/log.ts";
import type { Observer } from "../observe/observer.ts";
import type { RecorderOptions } from "../record/recorder.ts";
import type { UpstreamOptions } from "./target.ts";

/** Upper bounds. */
export interface ProxyLimits {
  /** Bytes of a request's body. Default 64 MiB. */
  readonly maxRequestBytes: number;
  /** Bytes of a head, of requests and of answers. Default 64 KiB. */
  readonly maxHeaderBytes: number;
  /** Exchanges that go on at once; further ones are answered with 503. Default 4,096. */
  readonly maxExchanges: number;
  /** Bytes of an answer that is not streamed, decompressed; a longer one passes untouched. Default 32 MiB. */
  readonly maxWholeBytes: number;
}

/** Time-outs and intervals, in milliseconds. */
export interface ProxyTimeouts {
  /** For connecting to an upstream. Default 10,000. */
  readonly connect: number;
  /** From the connection to the head of the answer. Default 600,000: answers that are not streamed take long. */
  readonly firstByte: number;
  /** Between two pieces of an answer. Default 300,000. */
  readonly silence: number;
  /** For a client that takes nothing. Default 120,000. */
  readonly stall: number;
  /** After the finish word, for a connection that is left open. Default 5,000. */
  readonly settle: number;
  /** Between two comments while a stream has nothing to send. Default 10,000. */
  readonly keepAlive: number;
  /** For exchanges to end when the proxy stops. Default 30,000. */
  readonly grace: number;
}

/** What a proxy may be told. */
export interface ProxyOptions {
  /** Where requests may go: these, and nowhere else. */
  readonly upstreams: readonly UpstreamOptions[];
  /** Default `127.0.0.1`: only this machine. */
  readonly host?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** A port for `/healthz` and `/metrics` alone, on the same host; none by default. 0: any free one. */
  readonly adminPort?: number;
  /** See {@link ProxyLimits}. */
  readonly limits?: Partial<ProxyLimits>;
  /** See {@link ProxyTimeouts}. */
  readonly timeouts?: Partial<ProxyTimeouts>;
  /** The limits of each reader. */
  readonly reading?: Partial<Limits>;
  /** Records exchanges. */
  readonly record?: RecorderOptions;
  /** Takes a line of JSON for each response, and for faults. Default: nowhere. */
  readonly log?: WriteLine;
  /** Who else hears of exchanges. */
  readonly observers?: readonly Observer[];
}

/** The default limits. */
export const DEFAULT_LIMITS: ProxyLimits = {
  maxRequestBytes: 64 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxExchanges: 4096,
  maxWholeBytes: 32 * 1024 * 1024,
};

/** The default time-outs. */
export const DEFAULT_TIMEOUTS: ProxyTimeouts = {
  connect: 10_000,
  firstByte: 600_000,
  silence: 300_000,
  stall: 120_000,
  settle: 5_000,
  keepAlive: 10_000,
  grace: 30_000,
};

/** What timers can wait for; longer ones would fire at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * The given numbers over the default ones.
 *
 * @param what What they are: "time-out", which has an upper bound, or another word for the error.
 * @throws TypeError for a name that is none, or a value that is no whole number above 0.
 */
export function numbers<T extends object>(defaults: T, given: Partial<T> | undefined, what: string): T {
  const all = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!Object.hasOwn(defaults, name))
      throw new TypeError(`unknown ${what} "${name}"; known are ${Object.keys(defaults).join(", ")}`);
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw new TypeError(`${what} ${name} must be a whole number above 0, not ${JSON.stringify(value)}`);
    if (what === "time-out" && (value as number) > MAX_TIMEOUT)
      throw new TypeError(
        `${what} ${name} must be at most ${MAX_TIMEOUT} milliseconds (24 days), not ${JSON.stringify(value)}`,
      );
    all[name] = value;
  }
  return all as T;
}
