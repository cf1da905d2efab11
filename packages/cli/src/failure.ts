// What can go wrong before, beside and after the reading of a stream. Owns the exit statuses and the errors that carry
// them; trouble inside a stream is no error but an event.

/** Exit statuses of the command. */
export const EXIT = {
  /** Everything was read. */
  ok: 0,
  /** A stream was broken: an error in it, no terminal signal, or it could not be read. */
  broken: 1,
  /** The command was not understood. */
  misuse: 2,
  /** Ctrl-C, as shells count it: 128 and the number of the signal. */
  interrupted: 130,
} as const;

/** The command line asks for something that cannot be done. The message says what to do instead. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

/** A file or standard input could not be read, or not to its end. */
export class InputFailure extends Error {
  override readonly name = "InputFailure";
  /** The system's or zlib's code, such as `ENOENT`; `source` where there is none. */
  readonly code: string;

  /**
   * @param code See `code`.
   * @param message What is wrong, without the name of the file.
   * @param cause The error that was thrown.
   */
  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Whoever read our output has gone (`unbraid … | head`): nothing is left to do, and nothing is wrong. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** The code of a system error, where there is one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What to say of a port on which nothing can listen; undefined where the trouble is another. */
export function portTrouble(error: unknown): string | undefined {
  const port = typeof error === "object" && error !== null && "port" in error ? ` ${String(error.port)}` : "";
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return `port${port} is taken: give another --port, or 0 for any free one`;
    case "EACCES":
      return `port${port} may not be used: give another --port, or 0 for any free one`;
    default:
      return undefined;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
