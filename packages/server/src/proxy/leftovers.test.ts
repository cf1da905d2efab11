// After many exchanges, good and bad, nothing of them is left: no exchange, no timer, no socket, no listener, no memory that grows.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ask, CHAT, eventually, FAULTY, SOUND } from "./proxy.test-kit.ts";
import { startProxy } from "./proxy.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What the event loop still waits for, by kind. */
function waiting(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(?:Timeout|TCPSocketWrap|TCPServerWrap)$/.test(kind))
    .length;
}

test("nothing is left over", { timeout: 30_000 }, async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", onWarning);
  const before = waiting();
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.on("error", () => {});
    switch (count++ % 6) {
      case 0:
        request.socket.destroy();
        return;
      case 1:
        response.writeHead(200, { "content-type": "text/event-stream" }).write(SOUND[0]);
        setTimeout(() => response.destroy(), 5);
        return;
      case 2:
        response.writeHead(500, { "content-type": "application/json" }).end("{}");
        return;
      case 3:
        response.writeHead(200, { "content-type": "application/json" }).end('{"choices":[]}');
        return;
      default:
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end((count % 2 === 0 ? FAULTY : SOUND).join(""));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lines: string[] = [];
  const proxy = await startProxy({ upstreams: [{ url }], log: (line) => lines.push(line) });
  const batch = (size: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: size }, (_, at) =>
        ask(`${proxy.url}/${at % 9 === 0 ? "events" : "v1/chat/completions"}`, { body: CHAT }),
      ),
    );
  for (let at = 0; at < 12; at++) await batch(50);
  await eventually(() => expect(proxy.open).toBe(0));
  expect(lines.filter((line) => line.includes('"response"'))).toHaveLength(600);
  expect(lines.filter((line) => line.includes('"fault"'))).toEqual([]);
  await proxy.stop(0);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  for (let tries = 0; waiting() > before && tries < 100; tries++) await sleep(20);
  expect(waiting()).toBeLessThanOrEqual(before);
  expect(warnings).toEqual([]);
  process.off("warning", onWarning);
});
