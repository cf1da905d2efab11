// Keeps exchanges on disk. Owns the writing: each file whole or not there, readable by its owner alone, and an upper bound on
// what all of them take. A disk that is slow or full costs recordings, never exchanges.

import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AnswerHead, ExchangeInfo, ExchangeListener, ExchangeSummary, Observer } from "../observe/observer.ts";
import { headerOf } from "../proxy/headers.ts";
import { type Arrival, endingOf, RECORDING_FORMAT, type RecordedExchange } from "./format.ts";
import { Cover, longestFirst, redactedHeaders, redactedUrl, redactedValue, secretsIn, secretsOf } from "./redact.ts";

/** How exchanges are recorded. */
export interface RecorderOptions {
  /** The folder; made where it is missing. */
  readonly folder: string;
  /** Bytes that all recordings in the folder may take; then no more are begun. Default 1 GiB. */
  readonly maxBytes?: number;
  /** Bytes of one body; the rest of it is not kept. Default 64 MiB. */
  readonly maxBodyBytes?: number;
}

const DEFAULT_MAX_BYTES = 1024 * 1024 * 1024;
const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Bytes that may wait for the disk, a recording. */
const MAX_WAITING = 8 * 1024 * 1024;

/**
 * An observer that records.
 *
 * @param options See {@link RecorderOptions}.
 * @param onFault Hears of what could not be written.
 * @throws The error of the system where the folder cannot be made or read.
 */
export function recorder(options: RecorderOptions, onFault: (error: unknown) => void): Observer {
  const folder = new Folder(options);
  return {
    begin(exchange) {
      if (folder.full) {
        folder.sayFull(onFault);
        return undefined;
      }
      return new Recording(folder, exchange, onFault);
    },
    close: () => folder.written(),
  };
}

/** The folder, and what it holds. */
class Folder {
  readonly path: string;
  readonly maxBodyBytes: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #full = false;
  readonly #pending: Set<Promise<void>> = new Set();
  #count = 0;
  #said = false;

  constructor({ folder, maxBytes = DEFAULT_MAX_BYTES, maxBodyBytes = DEFAULT_MAX_BODY_BYTES }: RecorderOptions) {
    this.path = folder;
    this.#maxBytes = maxBytes;
    this.maxBodyBytes = maxBodyBytes;
    make(folder);
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile() !== true) continue;
      // Left by a process that ended in the middle.
      if (name.startsWith(".") && name.endsWith(".part")) rmSync(path, { force: true });
      else this.#bytes += found.size;
    }
  }

  get full(): boolean {
    return this.#full || this.#bytes >= this.#maxBytes;
  }

  /** Counts bytes of a body; false where they do not fit. */
  take(bytes: number): boolean {
    this.#full ||= this.#bytes + bytes > this.#maxBytes;
    if (!this.#full) this.#bytes += bytes;
    return !this.#full;
  }

  /** Counts bytes that are written in any case. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Keeps a recording's last step in mind. */
  pend(step: Promise<void>): void {
    this.#pending.add(step);
    void step.finally(() => this.#pending.delete(step));
  }

  /** When all recordings that have ended are on disk. */
  async written(): Promise<void> {
    await Promise.all(this.#pending);
  }

  stem(startedAt: number): string {
    const time = new Date(startedAt).toISOString().replaceAll(":", "-");
    return `${time}-${process.pid.toString(36)}-${++this.#count}`;
  }

  sayFull(onFault: (error: unknown) => void): void {
    if (!this.#said) onFault(new Error(`the recordings take ${this.#maxBytes} bytes: no more are begun`));
    this.#said = true;
  }
}

/** Makes a folder, and those above it. Node's own way to do that never ends where a system lets none be made. */
function make(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const above = dirname(folder);
    if (above === folder || existsSync(above)) throw error;
    make(above);
    mkdirSync(folder, { mode: 0o700 });
  }
}

/** One exchange. */
class Recording implements ExchangeListener {
  readonly #folder: Folder;
  readonly #exchange: ExchangeInfo;
  readonly #onFault: (error: unknown) => void;
  readonly #stem: string;
  #secrets: readonly string[];
  #cover: Cover;
  readonly #arrivals: Arrival[] = [];
  #body: unknown = null;
  #head: AnswerHead | undefined;
  #name = "";
  #came = 0;
  #cut = false;
  #waiting = 0;
  /** What is written goes one after another. */
  #last: Promise<void> = Promise.resolve();
  #file: FileHandle | undefined;
  #failed = false;

  constructor(folder: Folder, exchange: ExchangeInfo, onFault: (error: unknown) => void) {
    this.#folder = folder;
    this.#exchange = exchange;
    this.#onFault = onFault;
    this.#stem = folder.stem(exchange.startedAt);
    this.#secrets = secretsOf(exchange.headers, exchange.url);
    this.#cover = new Cover(this.#secrets);
  }

  request(body: Uint8Array): void {
    const value = bodyOf(body);
    this.#secrets = longestFirst([...this.#secrets, ...secretsIn(value)]);
    // The body comes before any of the answer.
    this.#cover = new Cover(this.#secrets);
    this.#body = redactedValue(value, this.#secrets);
  }

  head(head: AnswerHead): void {
    this.#head = head;
    const ending = endingOf(headerOf(head.headers, "content-type") ?? "");
    this.#name = `${this.#stem}.${this.#exchange.protocol ?? "other"}.${ending}`;
    this.#then(async () => {
      this.#file = await open(this.#part(this.#name), "wx", 0o600);
    });
  }

  bytes(chunk: Uint8Array, ms: number): void {
    if (this.#cut) return;
    const end = this.#came + chunk.length;
    if (end > this.#folder.maxBodyBytes || this.#waiting > MAX_WAITING || !this.#folder.take(chunk.length)) {
      this.#cut = true;
      return;
    }
    this.#came = end;
    this.#arrivals.push([Math.round(ms * 1000) / 1000, end]);
    // The chunk's memory may be used again.
    this.#write(Uint8Array.prototype.slice.call(this.#cover.push(chunk)));
  }

  end(summary: ExchangeSummary): void {
    this.#write(this.#cover.end());
    this.#then(() => this.#finish(summary));
    this.#folder.pend(this.#last);
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#waiting += bytes.length;
    this.#then(async () => {
      await this.#file?.appendFile(bytes);
      this.#waiting -= bytes.length;
    });
  }

  async #finish(summary: ExchangeSummary): Promise<void> {
    const { path } = this.#folder;
    await this.#file?.close();
    const document = JSON.stringify(this.#document(summary), undefined, 2);
    const times = this.#arrivals.map(([ms, end]) => `[${ms},${end}]\n`).join("");
    this.#folder.add(document.length + times.length);
    if (this.#head !== undefined) {
      await rename(this.#part(this.#name), join(path, this.#name));
      await this.#whole(`${this.#name}.times`, times);
    }
    await this.#whole(`${this.#stem}.json`, `${document}\n`);
  }

  async #whole(name: string, text: string): Promise<void> {
    await writeFile(this.#part(name), text, { mode: 0o600, flag: "wx" });
    await rename(this.#part(name), join(this.#folder.path, name));
  }

  #part(name: string): string {
    return join(this.#folder.path, `.${name}.part`);
  }

  #document({ protocol, error, clientGone }: ExchangeSummary): RecordedExchange {
    const { id, startedAt, upstream, method, url, headers } = this.#exchange;
    const head = this.#head;
    return {
      format: RECORDING_FORMAT,
      id,
      startedAt: new Date(startedAt).toISOString(),
      upstream,
      protocol: protocol ?? null,
      request: { method, url: redactedUrl(url, this.#secrets), headers: redactedHeaders(headers), body: this.#body },
      response:
        head === undefined
          ? null
          : {
              status: head.status,
              headers: redactedHeaders(head.headers),
              body: this.#name,
              bytes: this.#came,
              whole: !this.#cut && !clientGone && error === undefined,
            },
      error: error ?? null,
    };
  }

  /** Does the next step, unless one before it failed. */
  #then(step: () => Promise<void>): void {
    this.#last = this.#last
      .then(() => (this.#failed ? undefined : step()))
      .catch((error: unknown) => {
        this.#failed = true;
        this.#cut = true;
        this.#onFault(error);
        return this.#giveUp();
      });
  }

  async #giveUp(): Promise<void> {
    await this.#file?.close().catch(() => {});
    if (this.#name !== "") await rm(this.#part(this.#name), { force: true }).catch(() => {});
  }
}

/** JSON as its value, other text as that. */
function bodyOf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Compressed or binary: nobody can say what stands in it.
    return { bytes: bytes.length };
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
