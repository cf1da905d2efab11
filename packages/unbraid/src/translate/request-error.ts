// What a request that cannot be read is refused with. Owns the error and its guard.

/**
 * What is wrong with a request, as a closed set.
 *
 * - `malformed`: a field is missing, or is of another type than its vendor's.
 * - `unpaired`: a result answers a call that the history does not hold.
 * - `elsewhere`: it needs what only its vendor's server holds: an earlier response, a stored prompt, a cached history.
 */
export type RequestErrorCode = "malformed" | "unpaired" | "elsewhere";

/** Shared by all copies of this module, so that the guard knows errors of another copy too. */
const brand = Symbol.for("unbraid.RequestError");

/**
 * What reading a request throws: the client is to be told, with status 400.
 *
 * @example
 * throw new RequestError("malformed", "messages[0].role", "must be a string, got a number");
 */
export class RequestError extends Error {
  /** Tells it from other errors. */
  override readonly name = "RequestError";
  /** Which one of the closed set it is. */
  readonly code: RequestErrorCode;
  /** Where in the request: `messages[2].content[0].type`; empty for the whole. */
  readonly path: string;

  /**
   * Says what is wrong, and where.
   *
   * @param code which one of the closed set it is
   * @param path where in the request
   * @param problem what is wrong there, in words that go on from the path
   */
  constructor(code: RequestErrorCode, path: string, problem: string) {
    super(path === "" ? `The request ${problem}.` : `${path} ${problem}.`);
    this.code = code;
    this.path = path;
  }

  static {
    Object.defineProperty(RequestError.prototype, brand, { value: true });
  }
}

/**
 * Whether an error is a {@link RequestError}, whichever copy of this module it was made by.
 *
 * @example
 * if (isRequestError(error)) return Response.json({ error: { message: error.message, param: error.path } }, { status: 400 });
 */
export function isRequestError(error: unknown): error is RequestError {
  return typeof error === "object" && error !== null && Reflect.get(error, brand) === true;
}
