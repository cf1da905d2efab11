// What a source throws, in words for an error event. Owns the places where the vendors' SDKs keep the vendor's own error.

/** An error's code, where it has one, and message. */
export interface Failure {
  readonly code: string | number | undefined;
  readonly message: string;
}

/**
 * Reads an error that a source threw. The SDKs keep the vendor's error object in `error`, wrapped once or twice; `fetch`
 * says only that it failed, and why in the cause.
 *
 * @example
 * failureOf(new Error("socket hang up")); // { code: undefined, message: "socket hang up" }
 */
export function failureOf(error: unknown): Failure {
  const said = error instanceof Error ? withCause(error) : String(error);
  const outer = inner(error);
  const vendor = inner(outer) ?? outer;
  const code = own(vendor, "code") ?? own(vendor, "type");
  const message = own(vendor, "message");
  return {
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
    message: typeof message === "string" && message !== "" ? message : said,
  };
}

function withCause({ message, cause }: Error): string {
  const why = cause instanceof Error ? cause.message : "";
  return why === "" || message.includes(why) ? message : `${message}: ${why}`;
}

function inner(value: unknown): unknown {
  const held = own(value, "error");
  return typeof held === "object" && held !== null ? held : undefined;
}

function own(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
