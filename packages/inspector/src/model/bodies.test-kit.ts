// Bodies for the tests of this package: those of the conformance folder, and some that are made.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../conformance/", import.meta.url));

/** A body of the conformance folder. */
export interface CaseBody {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Every body of some of the conformance folder's folders. */
export function caseBodies(...folders: readonly string[]): readonly CaseBody[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => /\.(?:sse|json|ndjson|eventstream|txt)$/.test(name) && !/expected|tools\.json/.test(name))
      .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(ROOT, folder, name))) })),
  );
}

/** All folders with bodies. */
export const CASE_FOLDERS = ["cases", "cases-more", "cases-text", "cases-wires"] as const;

/** Chat chunks as a body, one SSE event each. */
export function chatBody(deltas: readonly object[], finish: string | null = "tool_calls"): string {
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ id: "c1", model: "m", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const end = finish === null ? "" : `${chunk({}, finish)}data: [DONE]\n\n`;
  return deltas.map((delta) => chunk(delta, null)).join("") + end;
}

/** A fragment of a call. */
export function fragment(index: number, text: string, id?: string, name?: string): object {
  return {
    tool_calls: [
      {
        index,
        ...(id === undefined ? {} : { id, type: "function" }),
        function: { ...(name === undefined ? {} : { name }), arguments: text },
      },
    ],
  };
}

/** The bytes of a text. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A call of so many fragments. */
export function longBody(fragments: number): string {
  const deltas = Array.from({ length: fragments }, (_, at) =>
    at === 0
      ? fragment(0, '{"lines":["', "call_long", "write_file")
      : fragment(0, at === fragments - 1 ? '"]}' : at % 8 === 7 ? '","' : `word${at} `),
  );
  return chatBody(deltas);
}
