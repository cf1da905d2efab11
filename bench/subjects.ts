// What is measured: floors that nobody who parses each frame can pass under, and ourselves. Owns the reading loops, each
// of them checked against the length of the argument text that must come out.

import { createParser } from "eventsource-parser";
import { createReader, read } from "unbraid";
import type { Body } from "./bodies.ts";

/** Reads a body given in chunks; gives the characters of argument text that it found. */
export interface Subject {
  readonly name: string;
  run(body: Body, chunks: readonly Uint8Array[]): number | Promise<number>;
}

/** A frame whose shape is trusted, the way a careless client trusts it. */
interface Wire {
  readonly choices?: readonly {
    readonly delta?: { readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[] };
  }[];
  readonly delta?: string | { readonly partial_json?: string };
}

/** A frame's fragment. */
function fragmentOf(protocol: Body["protocol"], { choices, delta }: Wire): string {
  if (protocol === "openai-chat") return choices?.[0]?.delta?.tool_calls?.[0]?.function?.arguments ?? "";
  return typeof delta === "string" ? delta : (delta?.partial_json ?? "");
}

/** Splits decoded text into lines, and calls `take` for each data line that is JSON. */
function eachDataLine(chunks: readonly Uint8Array[], take: (json: string) => void): void {
  const decoder = new TextDecoder();
  let rest = "";
  for (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    // A line that spans many chunks is split once, when it ends.
    if (!text.includes("\n")) {
      rest += text;
      continue;
    }
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ") && line !== "data: [DONE]") take(line.slice(6));
  }
}

/** Floor (a): split lines, `JSON.parse` of each frame, concatenate. */
export const splitAndParse: Subject = {
  name: "split + JSON.parse",
  run(body, chunks) {
    let text = "";
    eachDataLine(chunks, (json) => (text += fragmentOf(body.protocol, JSON.parse(json) as Wire)));
    return text.length;
  },
};

/** Floor (b): a good SSE parser, then `JSON.parse`. */
export const eventsourceParser: Subject = {
  name: "eventsource-parser",
  run(body, chunks) {
    let text = "";
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent({ data }) {
        if (data !== "[DONE]") text += fragmentOf(body.protocol, JSON.parse(data) as Wire);
      },
    });
    for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
    return text.length;
  },
};

/** Floor (c): find the line ends and nothing else. */
export const lineEnds: Subject = {
  name: "line ends",
  run(body, chunks) {
    let lines = 0;
    for (const chunk of chunks) for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    return lines > 0 ? body.argumentCharacters : 0;
  },
};

/** The push form. */
export const push: Subject = {
  name: "push",
  run(body, chunks) {
    const reader = createReader({ protocol: body.protocol });
    let characters = 0;
    for (const chunk of chunks) {
      for (const event of reader.push(chunk)) if (event.type === "call.append") characters += event.text.length;
    }
    for (const event of reader.end()) if (event.type === "call.append") characters += event.text.length;
    return characters;
  },
};

/** The push form, and the value so far looked at after every fragment. */
export const pushWithPartials: Subject = {
  name: "push + value so far",
  run(body, chunks) {
    const reader = createReader({ protocol: body.protocol });
    let characters = 0;
    let seen = 0;
    const take = (events: ReturnType<typeof reader.push>): void => {
      for (const event of events) {
        if (event.type !== "call.append") continue;
        characters += event.text.length;
        const value = reader.partial(event.call.key) as { content?: string } | undefined;
        seen += value?.content?.length ?? 0;
      }
    };
    for (const chunk of chunks) take(reader.push(chunk));
    take(reader.end());
    return seen >= 0 ? characters : 0;
  },
};

/** The async form. */
export const asyncRead: Subject = {
  name: "read()",
  async run(body, chunks) {
    let characters = 0;
    for await (const event of read(chunks, { protocol: body.protocol }))
      if (event.type === "call.append") characters += event.text.length;
    return characters;
  },
};

/** All of them; the first is what the others are compared with. */
export const SUBJECTS: readonly Subject[] = [
  splitAndParse,
  eventsourceParser,
  lineEnds,
  push,
  pushWithPartials,
  asyncRead,
];
