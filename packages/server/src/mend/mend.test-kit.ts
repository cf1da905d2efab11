// Bodies to mend, and what a careful eye sees of the result. Owns the loading of the composed cases and the comparison; no
// dialect of ours is asked what is right.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Collector, createReader, type Collected, type DeclaredTool, type ProtocolName } from "unbraid";
import type { OutFraming } from "./dialect.ts";
import { mendStream, type MendStreamOptions } from "./mend-stream.ts";

/** A body and where it is from. */
export interface Body {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly bytes: Buffer;
}

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const WIRES = new Set(["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"]);

/** The tools that the composed cases declare. */
export const tools: readonly DeclaredTool[] = JSON.parse(
  readFileSync(`${root}conformance/cases/tools.json`, "utf8"),
) as DeclaredTool[];

function folder(path: string, protocolOf: (name: string) => string | undefined): Body[] {
  return readdirSync(`${root}${path}`, { withFileTypes: true }).flatMap((entry) => {
    const protocol = protocolOf(entry.name);
    if (!entry.isFile() || protocol === undefined || !WIRES.has(protocol)) return [];
    const bytes = readFileSync(`${root}${path}/${entry.name}`);
    // Live sessions and Interactions bear Gemini's name and are other wires.
    if (/"(?:setupComplete|serverContent|event_type|toolCall|response\.create)"/.test(bytes.toString())) return [];
    return [{ name: entry.name, protocol: protocol as ProtocolName, bytes }];
  });
}

/** The composed cases of the wires that are mended. */
export function composed(): Body[] {
  const second = (name: string): string | undefined => (/\.(?:json|md)$/.test(name) ? undefined : name.split(".")[1]);
  return [...folder("conformance/cases", second), ...folder("conformance/cases-more", second)];
}

/** The sound and unsound bodies of each wire's own tests. */
export function fixtures(): Body[] {
  const path = "packages/unbraid/src/protocols/fixtures";
  return [...WIRES].flatMap((wire) =>
    readdirSync(`${root}${path}`).includes(wire) ? folder(`${path}/${wire}`, () => wire) : [],
  );
}

/** How a client of the body's wire wants it. */
export function framingOf({ protocol, bytes }: Body): OutFraming {
  if (protocol === "ollama") return "ndjson";
  return protocol === "gemini" && bytes.toString().trimStart().startsWith("[") ? "json-array" : "sse";
}

/** Pieces of one size. */
export function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What comes out, and whether it is what went in. */
export function mended(body: Body, options: MendStreamOptions = {}, size = 700): { bytes: Buffer; same: boolean } {
  const mender = mendStream(body.protocol, { framing: framingOf(body), reader: { tools }, ...options });
  const out: Uint8Array[] = [];
  for (const piece of cut(body.bytes, size)) out.push(...mender.push(piece));
  out.push(...mender.end());
  const bytes = Buffer.concat(out);
  return { bytes, same: bytes.equals(body.bytes) };
}

/** What a reader makes of bytes. */
export function readAll(protocol: ProtocolName, bytes: Uint8Array, declared?: readonly DeclaredTool[]): Collected {
  const collector = new Collector();
  const reader = createReader({ protocol, ...(declared === undefined ? {} : { tools: declared }) });
  for (const event of [...reader.push(bytes), ...reader.end()]) collector.add(event);
  return collector.result;
}

/** What of an answer a client must get, and the ids of its calls in the same order; empty where an id was made. */
export function essence({ calls, text, reasoning, refusal, finish }: Collected): {
  readonly said: unknown;
  readonly ids: readonly string[];
} {
  const own = calls
    .filter(({ kind }) => kind === "function" || kind === "custom")
    .map((call) => {
      const { name, status, choice } = call;
      const said = JSON.stringify([choice, name, status, call.arguments ?? call.argumentsText]);
      return { said, id: call.madeId === true ? "" : call.id };
    })
    .toSorted((a, b) => (a.said < b.said ? -1 : a.said > b.said ? 1 : 0));
  return { said: [own.map(({ said }) => said), text, reasoning, refusal, finish], ids: own.map(({ id }) => id) };
}
