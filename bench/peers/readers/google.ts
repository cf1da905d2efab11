// The @google/genai package: its content stream. Owns the way its users use it, and the putting together of streamed
// arguments (`partialArgs`), which the package leaves to them.

import { GoogleGenAI, type FunctionCall } from "@google/genai";
import type { Peer } from "../peer.ts";

type Growing = Record<string | number, unknown>;

const contents: Peer = {
  name: "@google/genai: generateContentStream()",
  wire: "gemini",
  packages: ["@google/genai"],
  async read({ url, tools, signal }) {
    const client = new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: url } });
    const stream = await client.models.generateContentStream({
      model: "any",
      contents: "?",
      config: {
        abortSignal: signal,
        tools: [
          { functionDeclarations: tools.map(({ name, parameters }) => ({ name, parametersJsonSchema: parameters })) },
        ],
      },
    });
    const calls: { id: string | undefined; name: string; value: Growing }[] = [];
    let finish: string | null = null;
    for await (const chunk of stream) {
      // A part without a name goes on with the call before it.
      for (const { id, name, args, partialArgs } of chunk.functionCalls ?? []) {
        if (name) calls.push({ id, name, value: { ...args } });
        for (const partial of partialArgs ?? []) put(calls.at(-1)?.value ?? {}, partial);
      }
      finish ??= chunk.candidates?.[0]?.finishReason ?? null;
    }
    return { calls, finish };
  },
};

/** Puts one piece at its JSON path: strings grow, everything else is set. */
function put(root: Growing, partial: NonNullable<FunctionCall["partialArgs"]>[number]): void {
  const steps = [...(partial.jsonPath ?? "").matchAll(/\.([^.[]+)|\['([^']+)'\]|\[(\d+)\]/g)];
  let at = root;
  for (const [depth, [, plain, quoted, index]] of steps.entries()) {
    const key = index === undefined ? (plain ?? quoted ?? "") : Number(index);
    if (depth < steps.length - 1) at = (at[key] ??= steps[depth + 1]?.[3] === undefined ? {} : []) as Growing;
    else if (partial.stringValue !== undefined)
      at[key] = `${typeof at[key] === "string" ? at[key] : ""}${partial.stringValue}`;
    else at[key] = "nullValue" in partial ? null : (partial.numberValue ?? partial.boolValue);
  }
}

export const googlePeers: readonly Peer[] = [contents];
