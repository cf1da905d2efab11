// The entry `@unbraid/ledger/valkey`: a ledger in Valkey or Redis. Owns the client's part: keys, sending scripts, walking
// over all runs, and what a user should know of the server's settings.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  isLedgerError,
  type Ledger,
  LedgerError,
  type LedgerKey,
  type LedgerLimits,
  LedgerValues,
  type RecordedResult,
  type TurnRecord,
} from "unbraid/ledger";
import { type KeptCall, outcomeOf } from "./kept-call.ts";
import {
  type Connection,
  missingDriver,
  ServerAccess,
  type ServerAccessOptions,
  unreachable,
  warnProcess,
  wordsOf,
} from "./server-access.ts";
import { SCRIPT_ERRORS, type ScriptName, SCRIPTS } from "./valkey-scripts.ts";

export type { ServerAccessOptions };

/** What can be sent a command: a client of `iovalkey` or `ioredis`, as far as it is used. */
export interface ValkeyCommander {
  /** Sends one command. */
  call(command: string, ...parameters: string[]): Promise<unknown>;
}

/** A client of `iovalkey` or `ioredis`, or one of their clusters. */
export interface ValkeyClient extends ValkeyCommander {
  /** The servers of a cluster. */
  nodes?(role: "master"): readonly ValkeyCommander[];
  /** The client's own options; one that puts a prefix before keys is refused. */
  readonly options?: { readonly keyPrefix?: string | undefined };
}

/** What a ledger in Valkey or Redis may be told. */
export interface ValkeyLedgerOptions extends LedgerLimits, ServerAccessOptions {
  /** Where the server is, `valkey://` or `redis://` or `rediss://`. Needs the package `iovalkey`. */
  readonly url?: string;
  /** A client of `iovalkey` or `ioredis` instead, a cluster's too. `close()` leaves it open. */
  readonly client?: ValkeyClient;
  /** What each key begins with, without braces: `PREFIX{RUN}`. Default `unbraid:`. */
  readonly prefix?: string;
  /**
   * After how many milliseconds without a change a whole run may vanish by itself. Default never: only `forget` removes.
   * A run that vanishes is unknown afterwards, and its calls may run again: choose far more than a run ever rests.
   */
  readonly idleTtlMs?: number;
}

const RECONNECT_MS = 100;

/** What a server answers that is starting, or that is handing its part of a cluster over. */
const PASSING = /^(?:LOADING|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|READONLY|BUSY) /;

/**
 * A ledger in Valkey or Redis, for any number of workers on any number of machines. All times are the server's, each method
 * is one script, and a run is one key.
 *
 * It is as durable as the server is told to be. Without the append-only file a crash of the server forgets claims and
 * results; with `appendfsync everysec` those of the last second; and a replica that takes over may lack the last ones in
 * any case. A call that was forgotten may run again. Settings that lose some are told to `onWarning`. Where a call
 * must never run twice, take PostgreSQL or SQLite.
 *
 * @throws {LedgerError} `bad-input` where there is neither `url` nor `client`, or for a prefix that does not work
 * @example
 * import { valkeyLedger } from "@unbraid/ledger/valkey";
 *
 * const ledger = valkeyLedger({ url: "valkey://127.0.0.1:6379" });
 * console.log(await ledger.turns("invoice 17"));
 * await ledger.close();
 */
export function valkeyLedger(options: ValkeyLedgerOptions): Ledger {
  return new ValkeyLedger(options);
}

class ValkeyLedger implements Ledger {
  readonly #values: LedgerValues;
  readonly #prefix: string;
  readonly #idleTtl: string;
  readonly #access: ServerAccess<ValkeyClient>;

  constructor(options: ValkeyLedgerOptions) {
    const { url, client, prefix = "unbraid:", idleTtlMs } = options;
    if ((url === undefined) === (client === undefined))
      throw new LedgerError("bad-input", "a ledger in Valkey needs a url or a client, and not both");
    if (/[{}]/.test(prefix))
      throw new LedgerError("bad-input", "prefix must hold no braces: they choose the slot of a cluster");
    if ((client?.options?.keyPrefix ?? "") !== "")
      throw new LedgerError(
        "bad-input",
        "the client puts a keyPrefix before keys: use the ledger's own prefix instead",
      );
    if (idleTtlMs !== undefined && !(Number.isSafeInteger(idleTtlMs) && idleTtlMs > 0))
      throw new LedgerError("bad-input", `idleTtlMs must be a whole number from 1, and is ${String(idleTtlMs)}`);
    this.#values = new LedgerValues(options);
    this.#prefix = prefix;
    this.#idleTtl = String(idleTtlMs ?? 0);
    this.#access = new ServerAccess({
      store: "Valkey",
      timeoutMs: options.timeoutMs,
      connect: (timeoutMs) => connect(options, timeoutMs),
      // Its clients themselves ask again after a lost connection, and then say that they gave up.
      isPassing: (error) => isOfTheServer(error) && PASSING.test(wordsOf(error)),
    });
  }

  async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const asked = this.#values.request(request);
    const { key, tool, argumentsHash, worker, leaseMs, takeOver } = asked;
    // Made here: clients send a command again when a connection is lost, and the same claim is then known again.
    const token = randomUUID();
    const rest = [tool, argumentsHash, worker, token, String(leaseMs), takeOver ? "1" : "0"];
    const row = (await this.#run("claim", key.run, fieldOf(key), ...rest)) as string[];
    const [state, hash = "", by = "", held = "", attempt, result = "", left] = row;
    const kept = { hash, worker: by, token: held, result, attempt: Number(attempt), left: Number(left) };
    return outcomeOf(asked, token, { ...kept, state: state as KeptCall["state"] }, this.#values);
  }

  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    const lease = String(this.#values.lease(leaseMs));
    return (await this.#held("renew", claim, lease)) === 1;
  }

  async record(claim: Claim, result: RecordedResult): Promise<boolean> {
    return (await this.#held("record", claim, this.#values.resultText(result))) === 1;
  }

  async release(claim: Claim): Promise<void> {
    await this.#held("release", claim);
  }

  async openTurn(run: string, record: TurnRecord): Promise<TurnRecord> {
    const text = this.#values.turnText(record);
    const kept = await this.#run("openTurn", this.#values.run(run), String(text.turn), text.record, text.results ?? "");
    return this.#turn(kept as TurnRow);
  }

  async closeTurn(run: string, turn: number, results: readonly unknown[]): Promise<readonly unknown[]> {
    const parameters = [String(this.#values.turn(turn)), this.#values.resultsText(results)];
    return this.#values.results((await this.#run("closeTurn", this.#values.run(run), ...parameters)) as string);
  }

  async turns(run: string): Promise<readonly TurnRecord[]> {
    const rows = (await this.#run("turns", this.#values.run(run))) as readonly TurnRow[];
    return rows.map((row) => this.#turn(row));
  }

  async forget(which: { readonly run: string } | { readonly olderThanMs: number }): Promise<number> {
    if ("run" in which) return Number(await this.#run("forgetRun", this.#values.run(which.run)));
    const age = String(this.#values.age(which.olderThanMs));
    let forgotten = 0;
    for await (const keys of this.#keys())
      for (const key of keys) forgotten += Number(await this.#send("forgetOld", key, age).catch(zeroWhereForeign));
    return forgotten;
  }

  async close(): Promise<void> {
    await this.#access.close();
  }

  #turn([record, results]: TurnRow): TurnRecord {
    return this.#values.record({ record, results });
  }

  #held(name: ScriptName, claim: Claim, ...rest: string[]): Promise<unknown> {
    const { key, token } = this.#values.claim(claim);
    return this.#run(name, key.run, fieldOf(key), token, ...rest);
  }

  #run(name: ScriptName, run: string, ...parameters: string[]): Promise<unknown> {
    return this.#send(name, `${this.#prefix}{${inBraces(run)}}`, ...parameters);
  }

  /** Runs a script by its hash; a server that has not seen it yet is sent the text. */
  async #send(name: ScriptName, key: string, ...parameters: string[]): Promise<unknown> {
    const { text, sha } = SCRIPTS[name];
    const rest = ["1", key, this.#idleTtl, ...parameters];
    return this.#ask(async (client) => {
      try {
        return await client.call("EVALSHA", sha, ...rest);
      } catch (error) {
        if (!wordsOf(error).startsWith("NOSCRIPT")) throw error;
        return client.call("EVAL", text, ...rest);
      }
    });
  }

  /** The keys of all runs, some at a time, from each server of a cluster. */
  async *#keys(): AsyncGenerator<readonly string[]> {
    const pattern = `${this.#prefix.replaceAll(/[*?[\]\\^]/g, (special) => `\\${special}`)}{*}`;
    const nodes = await this.#ask(async (client) => client.nodes?.("master") ?? [client]);
    for (const node of nodes) {
      let cursor = "0";
      do {
        const scan = () => node.call("SCAN", cursor, "MATCH", pattern, "COUNT", "500");
        const [next, keys] = (await this.#ask(scan)) as [string, string[]];
        yield keys;
        cursor = next;
      } while (cursor !== "0");
    }
  }

  async #ask<Answer>(question: (client: ValkeyClient) => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#access.ask(question);
    } catch (error) {
      throw failureOf(error, this.#prefix);
    }
  }
}

type TurnRow = readonly [record: string, results: string | null];

function fieldOf({ turn, call }: LedgerKey): string {
  return `${turn}:${call}`;
}

/** A brace inside would end the part of the key that chooses its slot, or leave it empty. */
function inBraces(run: string): string {
  return run.replaceAll(/[%{}]/g, (special) => `%${special.charCodeAt(0).toString(16)}`);
}

/** A key of something else that looks like a run's is not to be forgotten. */
function zeroWhereForeign(error: unknown): number {
  if (isLedgerError(error) && (error.code === "foreign" || error.code === "newer")) return 0;
  throw error;
}

function failureOf(error: unknown, prefix: string): LedgerError {
  if (isLedgerError(error)) return error;
  const words = wordsOf(error);
  const is = (name: string): boolean => words.includes(name);
  if (is(SCRIPT_ERRORS.noTurn))
    return new LedgerError("no-turn", "the turn was never opened, or its run was forgotten");
  if (is(SCRIPT_ERRORS.foreign))
    return new LedgerError("foreign", `the run's key is used by something else: choose another prefix than ${prefix}`, {
      cause: error,
    });
  if (is(SCRIPT_ERRORS.newer))
    return new LedgerError("newer", "the run was kept by a newer @unbraid/ledger: update it here too", {
      cause: error,
    });
  if (isOfTheServer(error)) return new LedgerError("failed", `Valkey: ${words}`, { cause: error });
  return unreachable("Valkey", words, error);
}

/** An answer of the server is an error of its own kind; whatever else there is comes from the way to it. */
function isOfTheServer(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError";
}

async function connect(options: ValkeyLedgerOptions, timeoutMs: number): Promise<Connection<ValkeyClient>> {
  const { url, client, idleTtlMs, onWarning = warnProcess } = options;
  const connection =
    client === undefined ? await connectTo(url ?? "", timeoutMs) : { client, end: async () => {}, drop: () => {} };
  // What cannot be found out, for want of permission say, is passed over.
  void warnOfSettings(connection.client, idleTtlMs !== undefined, onWarning).catch(() => {});
  return connection;
}

async function connectTo(url: string, timeoutMs: number): Promise<Connection<ValkeyClient>> {
  const { Redis } = await import("iovalkey").catch((cause: unknown) => {
    throw missingDriver("iovalkey", cause);
  });
  const own = new Redis(url.replace(/^valkey(s?):/, "redis$1:"), {
    connectTimeout: timeoutMs,
    retryStrategy: () => RECONNECT_MS,
    // A command waits for a new connection for about as long as the method does, and is then given up.
    maxRetriesPerRequest: Math.max(1, Math.floor(timeoutMs / RECONNECT_MS) - 1),
  });
  // Each method says itself what went wrong; an event that nobody hears would be printed.
  own.on("error", () => {});
  const drop = (): void => own.disconnect();
  const end = async (): Promise<void> => {
    if (own.status === "ready")
      await Promise.race([own.quit().catch(() => {}), sleep(1000, undefined, { ref: false })]);
    drop();
  };
  return { client: own, end, drop };
}

async function warnOfSettings(client: ValkeyClient, expires: boolean, warn: (message: string) => void): Promise<void> {
  const persistence = String(await client.call("INFO", "persistence"));
  if (/^aof_enabled:0/m.test(persistence))
    warn(
      "Valkey keeps no append-only file (appendonly no): a crash of the server loses claims, and a call may run twice",
    );
  const memory = String(await client.call("INFO", "memory"));
  const [, policy = "", which] = /^maxmemory_policy:((allkeys|volatile)-\S+)/m.exec(memory) ?? [];
  if (which === "allkeys" || (which === "volatile" && expires))
    warn(
      `Valkey drops keys when memory is short (maxmemory-policy ${policy}): a run may be lost, and its calls run twice`,
    );
}
