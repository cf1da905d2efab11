// The partial-json package behind the naive reader: the whole argument text so far is parsed again at every fragment, as
// its users do. Owns that pairing; measured, not scored.

import { parse } from "partial-json";
import type { Peer } from "../peer.ts";
import { readByIndex } from "./naive.ts";

export const partialJsonPeers: readonly Peer[] = (["openai-chat", "openai-responses", "anthropic"] as const).map(
  (wire) => ({
    name: "partial-json behind a naive reader",
    wire,
    packages: ["partial-json"],
    partials: "always",
    read: (ask) =>
      readByIndex(wire, ask, (text) => {
        if (ask.onPartial && text !== "") ask.onPartial(parse(text));
      }),
  }),
);
