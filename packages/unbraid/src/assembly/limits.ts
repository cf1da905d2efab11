// The limits a reader keeps, with their defaults. Owns the numbers.

/** Upper bounds on what one reader takes in. All are whole numbers above 0. */
export interface Limits {
  /** UTF-8 bytes of one call's argument text. Default 32 MiB. */
  readonly maxArgumentBytes: number;
  /** Bytes of one response on the wire. Default 1 GiB. */
  readonly maxResponseBytes: number;
  /** Calls in one response. Default 1,024. */
  readonly maxCalls: number;
  /** Levels of nesting in one call's arguments. Default 10,000. */
  readonly maxDepth: number;
  /** Bytes of one frame. Default 16 MiB. */
  readonly maxFrameBytes: number;
}

/** The defaults. */
export const DEFAULT_LIMITS: Limits = {
  maxArgumentBytes: 32 * 1024 * 1024,
  maxResponseBytes: 1024 * 1024 * 1024,
  maxCalls: 1024,
  maxDepth: 10_000,
  maxFrameBytes: 16 * 1024 * 1024,
};

/**
 * Limits with the defaults filled in.
 *
 * @throws TypeError where a limit is no whole number above 0.
 */
export function withDefaults(limits: Partial<Limits> | undefined): Limits {
  const all = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (!Object.hasOwn(all, name))
      throw new TypeError(`unknown limit "${name}"; known are ${Object.keys(all).join(", ")}`);
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`limit ${name} must be a whole number above 0, not ${String(value)}`);
    all[name as keyof Limits] = value;
  }
  return all;
}
