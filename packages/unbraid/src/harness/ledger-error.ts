// What a ledger rejects with. Owns the error and its guard; knows no store.

/**
 * What went wrong, as a closed set.
 *
 * - `bad-input`: a key, a lease or a value that no ledger can keep. A mistake of the program.
 * - `too-large`: a value above the ledger's limit.
 * - `no-turn`: a turn was closed that was never opened, or whose run was forgotten.
 * - `full`: a bounded ledger has no room left, and forgetting a run that is at work would be wrong.
 * - `unreachable`: the store did not answer, or not in time. What was asked may or may not have been done.
 * - `foreign`: the place that was named holds something that is no ledger.
 * - `newer`: the ledger was made by a newer version than this one.
 * - `failed`: the store refused: no permission, no room, a damaged file.
 * - `closed`: the ledger was closed.
 */
export type LedgerErrorCode =
  | "bad-input"
  | "too-large"
  | "no-turn"
  | "full"
  | "unreachable"
  | "foreign"
  | "newer"
  | "failed"
  | "closed";

/** Shared by all copies of this module, so that the guard knows errors of another copy too. */
const brand = Symbol.for("unbraid.LedgerError");

/**
 * What every method of a ledger rejects with.
 *
 * @example
 * throw new LedgerError("closed", "the ledger was closed");
 */
export class LedgerError extends Error {
  /** Always `LedgerError`. */
  override readonly name = "LedgerError";
  /** Which one of the closed set it is. */
  readonly code: LedgerErrorCode;

  /**
   * Makes the error.
   *
   * @param code which one of the closed set it is
   * @param message what is wrong, where, and what to do
   * @param options `cause`: the error of the store's client
   */
  constructor(code: LedgerErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  static {
    Object.defineProperty(LedgerError.prototype, brand, { value: true });
  }
}

/**
 * Whether an error came from a ledger, whichever copy of this module it was made by.
 *
 * @example
 * if (isLedgerError(error) && error.code === "unreachable") await tryAgainLater();
 */
export function isLedgerError(error: unknown): error is LedgerError {
  return typeof error === "object" && error !== null && Reflect.get(error, brand) === true;
}
