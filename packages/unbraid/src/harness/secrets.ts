// Masks what looks like a secret in the message of an error before a model, a log or a ledger sees it. Owns the patterns.
// A pattern asks for the mark by which a kind of secret is known, not for anything that is long and random: words of a
// message must stay legible.

const MASK = "[masked]";

/**
 * Each with what takes the secret's place. None may take more than linear time from one starting point, for messages are
 * hostile as well.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Keys in PEM, also where the end was cut off.
  [/-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g, MASK],
  // The part of an address that names a user: postgres://user:password@host
  [/(\b[a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/?#"'<>]{1,500}@/gi, `$1${MASK}@`],
  [/\b(bearer|basic|digest|negotiate)(\s+)[\w.~+/=:-]{6,}/gi, `$1$2${MASK}`],
  // name=value, name: value and "name": "value", where the name says that it is a secret; the value may be quoted.
  [
    /(["']?\b[\w.-]{0,60}(?:api[-_]?key|access[-_]?key|secret|token(?!s\b)|passw(?:or)?d|passwd|pwd|passphrase|credentials?|authorization|cookie|signature|session[-_]?id)[\w-]{0,20}["']?\s{0,4}(?:[:=]|=>)\s{0,4})(?:"[^"]*"?|'[^']*'?|(?!\[masked\])[^\s"',;&)}\]]+)/gi,
    `$1${MASK}`,
  ],
  // In a URL's query any shorter name will do.
  [/([?&](?:key|sig|auth|pass|pw|code|jwt|sas)=)[^\s&#"'<>]+/gi, `$1${MASK}`],
  // Keys that say themselves whose they are.
  [/\b(?:sk|pk|rk)[-_][\w-]{12,}/g, MASK],
  [/\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ABIA|ACCA)[A-Z0-9]{12,}/g, MASK],
  [/\bAIza[\w-]{20,}|\bya29\.[\w.-]{10,}/g, MASK],
  [/\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_\w{20,}|\bhf_\w{20,}|\bgsk_\w{20,}/g, MASK],
  [/\bxox[a-z]-[\w-]{10,}|\bxapp-[\w-]{10,}/g, MASK],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g, MASK],
];

/** UTF-16 units that are looked at; what stands behind is dropped, for it was not looked at. */
const MAX_LENGTH = 16_384;

/**
 * A text with `[masked]` where something stood that looks like a secret: tokens and keys by their usual marks, passwords
 * in addresses and connection strings, PEM blocks. Cut to 16,384 UTF-16 units.
 *
 * No pattern finds every secret; a tool that knows one must not put it into an error.
 *
 * @example
 * maskSecrets("401 for Bearer abc123def456"); // "401 for Bearer [masked]"
 */
export function maskSecrets(text: string): string {
  let masked = text.slice(0, MAX_LENGTH);
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
  return masked;
}
