// The spelling of the vendors' official SDKs for JavaScript, where it is not that of the wire. Owns the respelling.

import type { TurnForm } from "./turn-form.ts";

/** Fields whose value is the user's or the model's: no key inside is ours to spell. */
const KEEP = new Set(["arguments", "parameters", "info", "data", "result"]);

/**
 * A form whose messages are spelled as the vendor's official SDK takes them: camelCase for `cohere-ai` and
 * `@mistralai/mistralai`, bytes as `Uint8Array` for `@aws-sdk/client-bedrock-runtime`'s Converse. The other SDKs take the
 * wire's own spelling, and their forms are given back as they are.
 *
 * @example
 * const history = forSdk(cohereTurns).assistant(answer); // [{ role: "assistant", toolCalls: […] }]
 */
export function forSdk(form: TurnForm): TurnForm {
  const respell = SPELLINGS[form.name];
  if (respell === undefined) return form;
  const all = (values: readonly unknown[]): readonly unknown[] => values.map(respell);
  return {
    ...form,
    tools: (definitions) => all(form.tools(definitions)),
    assistant: (answer) => all(form.assistant(answer)),
    results: (results, answer) => all(form.results(results, answer)),
    user: (content) => all(form.user(content)),
    // Messages have been spelled already; spelling them again changes nothing.
    request: (parts) => respell(form.request(parts)) as Readonly<Record<string, unknown>>,
  };
}

const SPELLINGS: Readonly<Partial<Record<TurnForm["name"], (value: unknown) => unknown>>> = {
  cohere: camelKeys,
  mistral: camelKeys,
  "mistral/conversations": camelKeys,
  bedrock: withBytes,
};

function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      KEEP.has(name) ? inner : camelKeys(inner),
    ]),
  );
}

/** Fields of Converse that are documents of the user's or the model's. */
const DOCUMENTS = new Set(["input", "json"]);

function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      if (DOCUMENTS.has(name)) return [name, inner];
      const isBase64 = (name === "bytes" || name === "redactedContent") && typeof inner === "string";
      return [name, isBase64 ? Uint8Array.from(atob(inner), (char) => char.charCodeAt(0)) : withBytes(inner)];
    }),
  );
}
