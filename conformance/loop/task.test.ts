// The task over real HTTP against our own scripted bodies: every wire over fetch, and over its vendor's official client.

import { describe, expect, test } from "vitest";
import { overClients, overFetch, serve } from "../../packages/unbraid/src/models/served.test-kit.ts";
import { loopback } from "../../packages/unbraid/src/sdk/loopback.test-kit.ts";
import { expectTask, play, reasonsOn, SCRIPT } from "./task.test-kit.ts";

const server = loopback();

const ways = [
  ...overFetch.map((way) => ({ ...way, failures: [503, 429] })),
  // Their own retries are off.
  ...overClients.map((way) => ({ ...way, failures: [] })),
];

describe.each(ways)("$name", ({ wire, model: make, failures }) => {
  test("does the task", async () => {
    const served = serve(server, wire, (request) => SCRIPT[request] ?? 500);
    const model = make(served.url);
    const played = await play(model);
    expectTask(model, reasonsOn(wire), played);
    expect(served.bodies).toHaveLength(SCRIPT.length);
    expect(played.result.usage).toEqual({ inputTokens: 11 * SCRIPT.length, outputTokens: 7 * SCRIPT.length });
  });

  test("does the task where servers fail between, and a stream breaks off", async () => {
    const script = [...failures, { id: "r9", text: "Hold on", finish: null } as const, ...SCRIPT];
    const served = serve(server, wire, (request) => script[request] ?? 500);
    const model = make(served.url);
    const played = await play(model);
    expectTask(model, reasonsOn(wire), played);
    expect(played.events.filter(({ type }) => type === "turn.drop")).toHaveLength(1);
    expect(served.bodies).toHaveLength(script.length);
    // Nothing of what was dropped goes back.
    expect(JSON.stringify(served.bodies)).not.toContain('Let m"');
  });
});
