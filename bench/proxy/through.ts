// One body served to one SDK: straight from the upstream, and through the proxy. Owns the two ways and the judgement of both,
// which is that of the comparison of readers.

import { type Proxy, startProxy, type UpstreamOptions } from "@unbraid/server";
import type { Case } from "../peers/cases.ts";
import { type Loopback, startLoopback } from "../peers/loopback.ts";
import type { Peer } from "../peers/peer.ts";
import { aiSdkPeers } from "../peers/readers/ai-sdk.ts";
import { anthropicPeers } from "../peers/readers/anthropic.ts";
import { googlePeers } from "../peers/readers/google.ts";
import { openaiPeers } from "../peers/readers/openai.ts";
import { judge, type Outcome, type Verdict } from "../peers/verdict.ts";

/** The SDKs: the vendors' own, and the AI SDK with its provider of each wire. */
export const sdks: readonly Peer[] = [...openaiPeers, ...anthropicPeers, ...googlePeers, ...aiSdkPeers];

/** A way from the upstream to the SDK. */
export type Way = "direct" | "proxy" | "held";

/** The ways, in the order of the tables. */
export const WAYS: readonly Way[] = ["direct", "proxy", "held"];

/** An upstream with a proxy that mends as it comes, and one that holds calls. */
export interface Course {
  /** How an SDK fares with a case. */
  run(peer: Peer, each: Case, way: Way): Promise<Verdict>;
  close(): Promise<void>;
}

const PATIENCE = 10_000;

/** Starts them. */
export async function startCourse(): Promise<Course> {
  const loopback = await startLoopback();
  const upstream = loopback.serve({ bytes: new Uint8Array(), contentType: "text/plain" });
  const proxyWith = (more: Partial<UpstreamOptions>): Promise<Proxy> =>
    startProxy({ upstreams: [{ url: upstream, ...more }], timeouts: { settle: 500 } });
  const proxy = await proxyWith({});
  const held = await proxyWith({ hold: true });
  const urls: Readonly<Record<Way, string>> = { direct: upstream, proxy: proxy.url, held: held.url };
  return {
    run: async (peer, each, way) => judge(each, await read(peer, each, loopback, urls[way])),
    async close() {
      await Promise.all([proxy.stop(0), held.stop(0)]);
      await loopback.close();
    },
  };
}

async function read(peer: Peer, each: Case, loopback: Loopback, url: string): Promise<Outcome> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve({ hung: true }), PATIENCE);
  });
  loopback.serve(each);
  const reading = peer.read({ url, tools: each.tools, signal: controller.signal }).then(
    (handed): Outcome => ({ handed }),
    (error: unknown): Outcome => ({ threw: (error instanceof Error ? error.message : String(error)).slice(0, 300) }),
  );
  const outcome = await Promise.race([reading, hung]);
  clearTimeout(timer);
  controller.abort();
  return outcome;
}

/** Keeps the SDKs' warnings, and the promises that they leave rejected, from the output. */
export function hush(): void {
  process.on("unhandledRejection", () => {});
  for (const method of ["warn", "error", "debug", "info"] as const) console[method] = () => {};
}
