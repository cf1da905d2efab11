// A server of streams for the load, in a process of its own. Owns what it streams: `/?n=NUMBER` gives the call of that number,
// fragment by fragment; odd numbers lack every index, so that their frames have to be written anew. Each fragment says
// when it was sent.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Fragments of a stream. */
const FRAGMENTS = 40;

const sent = (): string => String(process.hrtime.bigint());

function frame(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const head = { id: "chatcmpl-load", object: "chat.completion.chunk", created: 1, model: "load" };
  return `data: ${JSON.stringify({ ...head, choices, sent: sent() })}\n\n`;
}

function call(number: number, text: string, first: boolean): string {
  const identity = number % 2 === 0 ? { index: 0 } : {};
  const header = first ? { id: `call_${number}`, type: "function", function: { name: "echo", arguments: text } } : {};
  return frame({ tool_calls: [{ ...identity, function: { arguments: text }, ...header }] });
}

const server = createServer((request, response) => {
  request.resume();
  const query = new URL(request.url ?? "", "http://127.0.0.1").searchParams;
  const number = Number(query.get("n"));
  const pause = Number(query.get("pause") ?? 50);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(frame({ role: "assistant", content: "" }));
  let at = 0;
  const timer = setInterval(() => {
    if (at === 0) response.write(call(number, '{"n":"', true));
    else if (at < FRAGMENTS) response.write(call(number, `${number}.`, false));
    else if (at === FRAGMENTS) response.write(call(number, '"}', false));
    else {
      clearInterval(timer);
      response.end(`${frame({}, "tool_calls")}data: [DONE]\n\n`);
    }
    at++;
  }, pause);
  response.on("close", () => clearInterval(timer));
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("disconnect", () => process.exit());
