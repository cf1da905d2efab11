// What the ledgers over a server share: one connection, how long they wait for it, asking again after it was lost, and how
// they tell what a user should know of the server. Owns the time; knows neither server.

import { setTimeout as sleep } from "node:timers/promises";
import { LedgerError } from "unbraid/ledger";

/** What every ledger over a server may be told. */
export interface ServerAccessOptions {
  /** For how many milliseconds a method waits for the server, reconnecting meanwhile. Default 10,000. */
  readonly timeoutMs?: number;
  /**
   * Told once of settings of the server with which a crash of it loses claims or results. Default: a warning of the
   * process, as `process.emitWarning` gives it.
   */
  readonly onWarning?: (message: string) => void;
}

/** A client that is there, and what lets go of it. */
export interface Connection<Client> {
  readonly client: Client;
  /** Lets go of it, once what is under way has had a moment. */
  end(): Promise<void>;
  /** Lets go of it at once: nothing came back. What waits for it fails. */
  drop(): void;
}

/** How a server is reached. */
export interface ServerAccessSetting<Client> {
  /** The server's name, for messages. */
  readonly store: string;
  /** For how many milliseconds a question may take; must be positive. */
  readonly timeoutMs: number | undefined;
  /** Opens a connection. */
  readonly connect: (timeoutMs: number) => Promise<Connection<Client>>;
  /** Whether the same question may succeed a little later. Each question must be safe to be asked twice. */
  readonly isPassing: (error: unknown) => boolean;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const LONGEST_SLEEP_MS = 500;

/** Thrown within a question where a race was lost: it is asked again. */
export class LostRace extends Error {}

/** A server that is asked, and asked again while it is away. */
export class ServerAccess<Client> {
  readonly #setting: ServerAccessSetting<Client>;
  readonly #timeoutMs: number;
  #connection: Promise<Connection<Client>> | undefined;
  #closed = false;

  constructor(setting: ServerAccessSetting<Client>) {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = setting;
    if (!(timeoutMs > 0 && timeoutMs <= 2_147_483_647))
      throw new LedgerError("bad-input", `timeoutMs must be more than 0, and is ${String(timeoutMs)}`);
    this.#setting = setting;
    this.#timeoutMs = timeoutMs;
  }

  /** Asks until there is an answer, or an error that does not pass, or the time is over: then `unreachable`. */
  async ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<Answer> {
    const { store, isPassing } = this.#setting;
    const deadline = performance.now() + this.#timeoutMs;
    for (let sleepMs = 0; ; sleepMs = Math.min(Math.max(sleepMs * 2, 25), LONGEST_SLEEP_MS)) {
      let passing: unknown;
      const connection = this.#connected();
      try {
        const asked = connection.then(({ client }) => question(client));
        return await within(asked, deadline - performance.now(), () => this.#drop(connection));
      } catch (error) {
        if (error instanceof NoAnswer) throw unreachable(store, `no answer within ${this.#timeoutMs} ms`);
        if (!(error instanceof LostRace) && !isPassing(error)) throw error;
        passing = error;
      }
      if (performance.now() + sleepMs >= deadline) throw unreachable(store, wordsOf(passing), passing);
      await sleep(sleepMs);
    }
  }

  /** Lets go of the connection. Whatever is asked later rejects with `closed`. */
  async close(): Promise<void> {
    this.#closed = true;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.then(
      (open) => open.end(),
      // What never connected has nothing to let go of.
      () => undefined,
    );
  }

  #connected(): Promise<Connection<Client>> {
    if (this.#closed) throw new LedgerError("closed", "the ledger was closed");
    this.#connection ??= this.#setting.connect(this.#timeoutMs);
    return this.#connection;
  }

  /** A connection on which nothing comes back may be dead without anyone's knowing it for many minutes. */
  #drop(connection: Promise<Connection<Client>>): void {
    if (this.#connection === connection) this.#connection = undefined;
    void connection.then(
      (open) => open.drop(),
      () => undefined,
    );
  }
}

class NoAnswer extends Error {}

/** Waits for a promise for so long; then gives it up, and rejects. */
async function within<T>(promise: Promise<T>, ms: number, giveUp: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        giveUp();
        reject(new NoAnswer());
      },
      Math.max(0, ms),
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tells a user by a warning of the process. */
export function warnProcess(message: string): void {
  process.emitWarning(message, "UnbraidLedgerWarning");
}

/** The error for a server that does not answer. What was asked may have been done. */
export function unreachable(store: string, why: string, cause?: unknown): LedgerError {
  return new LedgerError("unreachable", `${store} cannot be reached: ${why}`, { cause });
}

/** The error for a driver that is not installed. */
export function missingDriver(name: string, cause: unknown): LedgerError {
  return new LedgerError("failed", `the package ${name} is needed for this ledger: npm install ${name}`, { cause });
}

/** An error's own words; those of an error that stands for several are the last one's. */
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return wordsOf(error.errors.at(-1));
  return error instanceof Error ? error.message : String(error);
}
