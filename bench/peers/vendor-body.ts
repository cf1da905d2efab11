// The benchmark's bodies with everything in them that the vendors always send: the peers check more than a floor does.
// Owns the fields that are added. Floors and peers are measured on the same result.

import type { Body } from "../bodies.ts";

type Frame = Record<string, unknown>;

const USAGE = { input_tokens: 9, output_tokens: 9, total_tokens: 18 };

/** Adds what a vendor's frame of that type has beside what is in it. */
const additions: Readonly<Record<string, (frame: Frame, items: unknown[]) => Frame>> = {
  message_start: (frame) => ({
    ...frame,
    message: { ...(frame["message"] as Frame), model: "model-1", stop_sequence: null, usage: USAGE },
  }),
  "response.created": (frame) => ({ ...frame, response: head(frame) }),
  "response.output_item.done": (frame, items) => {
    const item = { ...(frame["item"] as Frame), status: "completed" };
    items.push(item);
    return { ...frame, item };
  },
  "response.completed": (frame, items) => ({ ...frame, response: { ...head(frame), output: items, usage: USAGE } }),
};

const head = (frame: Frame): Frame => ({
  ...(frame["response"] as Frame),
  created_at: 1_795_000_000,
  model: "model-1",
});

/** The body as its vendor would send it. */
export function asVendorSends(body: Body): Body {
  if (body.protocol === "openai-chat") return body;
  const items: unknown[] = [];
  let start = 0;
  const decoder = new TextDecoder();
  const frames = body.frameEnds.map((end) => {
    const text = decoder.decode(body.bytes.subarray(start, end));
    start = end;
    const [, type = "", json = ""] = /^event: (.*)\ndata: (.*)\n\n$/.exec(text) ?? [];
    const add = additions[type];
    return add ? `event: ${type}\ndata: ${JSON.stringify(add(JSON.parse(json) as Frame, items))}\n\n` : text;
  });
  const encoder = new TextEncoder();
  let end = 0;
  return {
    ...body,
    bytes: encoder.encode(frames.join("")),
    frameEnds: frames.map((frame) => (end += encoder.encode(frame).length)),
  };
}
