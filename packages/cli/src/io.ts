// What the command has of the outside world. Owns the interface, so that tests can give it other ends than a process.

/** Where text goes. */
export interface Output {
  /**
   * Writes a text.
   *
   * @returns When it has been taken, so that a slow reader slows the reading of the input.
   * @throws OutputClosed when the reader of the output has gone.
   */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** Columns of the terminal now; undefined where there is none. */
  readonly columns: number | undefined;
}

/** The outside world. */
export interface Io {
  /** The bytes of standard input. Asked for only when they are wanted. */
  stdin(): AsyncIterable<Uint8Array>;
  /** Whether a person would have to type what is read from standard input. */
  readonly stdinIsTerminal: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on Ctrl-C. */
  readonly interrupt: AbortSignal;
  /** Fires when the process is asked to end (SIGTERM). Asked for only by what has something to end. */
  termination(): AbortSignal;
  /** What a user types to run this command, for the examples that it prints. */
  readonly self: string;
}

/** Columns where the output is no terminal and COLUMNS says nothing. */
const DEFAULT_COLUMNS = 80;

/** Fewer are not worth laying out for: a narrower terminal wraps. */
const MIN_COLUMNS = 40;

/** Columns to lay out for. */
export function columnsOf(output: Output, env: Io["env"]): number {
  const wanted = output.columns ?? Number(env["COLUMNS"] ?? DEFAULT_COLUMNS);
  return Number.isSafeInteger(wanted) && wanted > 0 ? Math.max(MIN_COLUMNS, wanted) : DEFAULT_COLUMNS;
}
