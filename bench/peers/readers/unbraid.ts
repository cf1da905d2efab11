// This project's reader, used in the same way. Owns nothing but that.

import { collect, read, runnable } from "unbraid";
import { WIRES, type Peer } from "../peer.ts";

export const unbraidPeers: readonly Peer[] = WIRES.map((wire) => ({
  name: "unbraid: collect(read(response))",
  wire,
  packages: ["unbraid"],
  partials: "asked",
  async read({ url, tools, signal, onPartial }) {
    const stream = read(fetch(url, { method: "POST", body: "{}", signal }), { protocol: wire, tools, signal });
    const { reader } = stream;
    async function* watched() {
      for await (const event of stream) {
        if (event.type === "call.append") onPartial?.(reader.partial(event.call.key));
        yield event;
      }
    }
    const collected = await collect(onPartial ? watched() : stream);
    const may = new Set(runnable(collected));
    return {
      calls: collected.calls.map(({ id, name, arguments: value, argumentsText }) =>
        may.has(id) ? { id, name, value } : { id, name, text: argumentsText, flagged: true as const },
      ),
      // What may run is said by the calls; the word would only repeat it.
      finish: may.size > 0 ? "tool_calls" : collected.finish,
    };
  },
}));
