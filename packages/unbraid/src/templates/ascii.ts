// ASCII bytes that become text without a decoder. Owns the two tricks that make that cheap for a few bytes.

/** 1 for each byte that is a character and stands for itself in a JSON string: no quote, backslash or control character. */
export const PLAIN: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
);

/** The text of ASCII bytes. Four characters a call: a call for each would cost twice as much. */
export function characters(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  let at = start;
  for (; at + 4 <= end; at += 4)
    text += String.fromCharCode(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
  for (; at < end; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}
