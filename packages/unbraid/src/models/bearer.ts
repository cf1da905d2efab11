// The header that most vendors take a key in. Owns that alone.

/** `authorization: Bearer …` (RFC 6750, 2.1). */
export function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
