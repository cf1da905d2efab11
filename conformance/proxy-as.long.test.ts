// The same with `--as`: every composed body of one vendor's wire, through the proxy, to the SDKs of the others.

import { fileURLToPath } from "node:url";
import { startProxy } from "@unbraid/server";
import type { RequestWire } from "unbraid/translate";
import { describe, expect, test } from "vitest";
import { type Case, composedCases } from "../bench/peers/cases.ts";
import { startLoopback } from "../bench/peers/loopback.ts";
import { type Outcome, judge } from "../bench/peers/verdict.ts";
import { sdks } from "../bench/proxy/through.ts";

const WIRES: readonly RequestWire[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
const cases = composedCases(fileURLToPath(new URL("cases", import.meta.url)));

/** Arguments are objects there: a tool that takes every object takes the one that holds a malformed text too. */
const TAKEN_BY_ANY = /^(?:H033|H109|H11[01468]|H12[012]|H13[23]|H160)$/;

function beyond({ id }: Case, client: RequestWire, hold: boolean): boolean {
  // A name with a full stop, which only Chat and Gemini have; the request would have declared it under the other one.
  if (id === "H162") return client === "openai-responses" || client === "anthropic";
  // Responses says other arguments at the end than it streamed; Chat has no word for that.
  if (id === "H066") return client === "openai-chat" && !hold;
  return client === "gemini" && TAKEN_BY_ANY.test(id);
}

/** Ids that a wire does not allow are others there. */
function withoutIds(each: Case): Case {
  const free = (calls: Case["calls"]): Case["calls"] => calls.map((call) => ({ ...call, id: null }));
  return { ...each, calls: free(each.calls), toRun: free(each.toRun) };
}

const ways = WIRES.flatMap((server) =>
  WIRES.filter((client) => client !== server).flatMap((client) =>
    [false, true].map((hold) => ({ server, client, hold })),
  ),
);

describe.each(ways)("$server as $client, held: $hold", ({ server, client, hold }) => {
  test.each(sdks.filter(({ wire }) => wire === client))("$name", { timeout: 60_000 }, async (peer) => {
    const loopback = await startLoopback();
    const url = loopback.serve({ bytes: new Uint8Array(), contentType: "text/plain" });
    const proxy = await startProxy({
      upstreams: [{ url, protocol: server, as: client, hold }],
      timeouts: { settle: 500 },
    });
    const failed: string[] = [];
    for (const each of cases.filter(({ wire }) => wire === server)) {
      loopback.serve(each);
      const asked = { url: proxy.url, tools: each.tools, signal: AbortSignal.timeout(10_000) };
      const outcome = await peer.read(asked).then(
        (handed): Outcome => ({ handed }),
        (error: unknown): Outcome => ({ threw: String(error) }),
      );
      const { reason, detail } = judge(withoutIds(each), outcome);
      if ((reason !== undefined) !== beyond(each, client, hold)) failed.push(`${each.id} ${reason}: ${detail ?? ""}`);
    }
    await proxy.stop(0);
    await loopback.close();
    expect(failed).toEqual([]);
  });
});
