// The bodies that are measured, by name. Owns the list, for the project's own figures and for those beside other readers.

import { makeBody, type Body, type Shape } from "./bodies.ts";

/** Three parallel calls of 2 KB, four characters a fragment. */
export const TYPICAL: Shape = { name: "typical", calls: 3, characters: 2_000, fragment: [4, 4] };
/** 64 calls whose fragments take turns. */
export const WIDE: Shape = { name: "wide", calls: 64, characters: 500, fragment: [4, 8], interleaved: true };
/** One call, by the length of its arguments, from short to long. */
export const LONG: readonly Shape[] = [
  ["10 KB", 10_000],
  ["100 KB", 100_000],
  ["1 MB", 1_000_000],
  ["10 MB", 10_000_000],
].map(([name, characters]) => ({
  name: name as string,
  calls: 1,
  characters: characters as number,
  fragment: [4, 16] as const,
}));

/** Chunks: one frame each, what one network packet carries, what one read of a fast connection gives. */
export const CHUNKS = ["frame", 1460, 65_536] as const;

/** A wire as a vendor sends it. */
export interface Vendor {
  readonly name: string;
  readonly protocol: Body["protocol"];
  readonly obfuscated: boolean;
}

/** Every wire that is measured. */
export const VENDORS: readonly Vendor[] = [
  { name: "OpenAI Chat", protocol: "openai-chat", obfuscated: false },
  { name: "OpenAI Chat with obfuscation", protocol: "openai-chat", obfuscated: true },
  { name: "OpenAI Responses", protocol: "openai-responses", obfuscated: false },
  { name: "Anthropic", protocol: "anthropic", obfuscated: false },
];

/** A body of a wire. */
export function bodyOf({ protocol, obfuscated }: Vendor, shape: Shape): Body {
  return makeBody(protocol, shape, obfuscated);
}
