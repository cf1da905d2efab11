// How far a scan is, in one line that is written over. Owns the line and when it is written.

import type { Output } from "../io.ts";
import { counted, grouped } from "../terminal/page.ts";

/** Milliseconds between two looks of the line. */
const PACE = 100;

/** Cells of the bar. */
const CELLS = 20;

/** Writes the line to a terminal; to anything else nothing. */
export class Progress {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #start: number;
  #total = { files: 0, bytes: 0, known: false };
  #done = { files: 0, bytes: 0 };
  #written = -Infinity;
  #width = 0;

  /** @param now Milliseconds of a clock. */
  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
    this.#start = now();
  }

  /** There are more files than was known. */
  expect(bytes: number): void {
    this.#total.files += 1;
    this.#total.bytes += bytes;
  }

  /** There will be no more. */
  counted(): void {
    this.#total.known = true;
  }

  /** So many were read. */
  advance(files: number, bytes: number): void {
    this.#done.files += files;
    this.#done.bytes += bytes;
    if (!this.#output.isTerminal || this.#now() - this.#written < PACE) return;
    this.#written = this.#now();
    void this.#write(this.line()).catch(() => {});
  }

  /** Takes the line away. */
  async clear(): Promise<void> {
    if (this.#width > 0) await this.#write("");
  }

  /** The line. */
  line(): string {
    const seconds = Math.max(0.001, (this.#now() - this.#start) / 1000);
    const files = counted(this.#done.files, "file");
    const rate = `${grouped(Math.round(this.#done.files / seconds))}/s`;
    if (!this.#total.known) return `${files} of at least ${grouped(this.#total.files)}  ${rate}`;
    // Big files take longer: bytes tell better how far it is. Files without bytes are told by their number.
    const share = this.#total.bytes > 0 ? this.#done.bytes / this.#total.bytes : this.#done.files / this.#total.files;
    const full = Math.max(0, Math.min(CELLS, Math.floor(share * CELLS)));
    const bar = "█".repeat(full) + "░".repeat(CELLS - full);
    const left = share > 0 ? duration((seconds / share) * (1 - share)) : "";
    return `${bar} ${Math.floor(share * 100)} %  ${files} of ${grouped(this.#total.files)}  ${rate}  ${left} left`;
  }

  async #write(line: string): Promise<void> {
    const shown = line.slice(0, (this.#output.columns ?? 80) - 1);
    const padded = shown.padEnd(this.#width);
    this.#width = shown.length;
    await this.#output.write(`\r${padded}${shown === "" ? "\r" : ""}`);
  }
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
