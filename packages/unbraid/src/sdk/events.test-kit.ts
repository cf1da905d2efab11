// Events gathered and made comparable. Owns what may differ between two readings of one response.

import type { StreamEvent } from "../index.ts";

/** All events. */
export async function listed(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const list: StreamEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** The events without where they came from, ids that we made without their value, and usage without the vendor's object. */
export function withoutPositions(events: readonly StreamEvent[]): Record<string, unknown>[] {
  return events.map((event) => {
    const { at: _, ...rest } = event;
    // Anthropic's helpers write into the usage that they hand out.
    if (rest.type === "usage") return { ...rest, raw: "the vendor's" };
    if (!("call" in rest) || typeof rest.call !== "object" || rest.call.madeId !== true) return rest;
    return { ...rest, call: { ...rest.call, id: "made" } };
  });
}
