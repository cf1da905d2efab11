// A response out of memory, for readers that fetch it themselves. Owns the stand-in for `fetch`: no socket is in the way,
// so that what is measured is the reading, and time beyond the limit ends the body with an error.

import type { Handed, Peer, Tool } from "./peer.ts";

/** What a reading took. */
export interface Reading {
  readonly milliseconds: number;
  /** Characters of argument text that came out; undefined where the reader threw or was stopped. */
  readonly characters?: number;
  readonly error?: string;
  /** It took longer than the limit and was stopped. */
  readonly stopped?: true;
}

const TOOLS: readonly Tool[] = [
  {
    name: "write_file",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
      additionalProperties: false,
    },
  },
];

/**
 * Lets a reader read a body.
 *
 * @param partials Looks at the value so far of the arguments at every fragment.
 * @param limit Milliseconds after which the body ends with an error.
 */
export async function readFed(
  peer: Peer,
  chunks: readonly Uint8Array[],
  partials: boolean,
  limit: number,
): Promise<Reading> {
  const { fetch } = globalThis;
  const controller = new AbortController();
  const start = performance.now();
  globalThis.fetch = () => Promise.resolve(response(chunks, start + limit));
  let seen = 0;
  const onPartial = (value: unknown): void => {
    seen += (value as { content?: string } | undefined)?.content?.length ?? 0;
  };
  const ask = { url: "http://127.0.0.1", tools: TOOLS, signal: controller.signal, ...(partials ? { onPartial } : {}) };
  try {
    const handed = await peer.read(ask);
    const milliseconds = performance.now() - start;
    if (milliseconds > limit) return { milliseconds, stopped: true };
    return partials && seen === 0
      ? { milliseconds, error: "gave no value so far" }
      : { milliseconds, characters: charactersOf(handed) };
  } catch (error) {
    const milliseconds = performance.now() - start;
    if (milliseconds > limit) return { milliseconds, stopped: true };
    return { milliseconds, error: error instanceof Error ? error.message : String(error) };
  } finally {
    globalThis.fetch = fetch;
  }
}

function response(chunks: readonly Uint8Array[], deadline: number): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[at++];
        if (chunk === undefined) controller.close();
        else if (performance.now() > deadline) controller.error(new Error("took too long"));
        // A reader may keep or transfer what it is given; the chunks are read again.
        else controller.enqueue(chunk.slice());
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** The bodies hold JSON as `JSON.stringify` writes it, so that values can be measured like texts. */
function charactersOf({ calls }: Handed): number {
  return calls.reduce((sum, { text, value }) => sum + (text ?? JSON.stringify(value)).length, 0);
}
