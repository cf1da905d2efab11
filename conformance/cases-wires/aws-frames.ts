// node conformance/cases-wires/aws-frames.ts
//
// Writes the binary bodies of this folder: every *.bedrock.ndjson once more as AWS event-stream messages, and the bodies
// that only exist broken. Uses no code of the library.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";

const here = new URL("./", import.meta.url);

/** One message: lengths, their checksum, headers, payload, checksum of all. */
function message(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const named = Object.entries(headers).map(([name, value]) => {
    const text = Buffer.from(value);
    const length = Buffer.from([text.length >> 8, text.length & 255]);
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, text]);
  });
  const head = Buffer.concat(named);
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const unsealed = Buffer.concat([prelude, head, body]);
  const seal = Buffer.alloc(4);
  seal.writeUInt32BE(crc32(unsealed));
  return Buffer.concat([unsealed, seal]);
}

/** The message for `{"contentBlockStop":{…}}`. */
function fromLine(line: string): Buffer {
  const [type = "", body] = Object.entries(JSON.parse(line) as Record<string, unknown>)[0] ?? [];
  const kind = type.endsWith("Exception") ? "exception" : "event";
  return message(
    { [`:${kind}-type`]: type, ":content-type": "application/json", ":message-type": kind },
    JSON.stringify(body),
  );
}

/** Two calls, a message a line; what is broken below begins as this. */
const two = [
  '{"messageStart":{"role":"assistant","p":"abcdef"}}',
  '{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"tooluse_w","name":"wipe"}},"p":"ab"}}',
  '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\\"disk\\": \\"b\\"}"}},"p":"abcd"}}',
  '{"contentBlockStop":{"contentBlockIndex":0,"p":"abc"}}',
  '{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"tooluse_x","name":"wipe"}},"p":"a"}}',
  '{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\\"disk\\": \\"c\\"}"}},"p":"abcdefgh"}}',
  '{"contentBlockStop":{"contentBlockIndex":1,"p":"abcde"}}',
  '{"messageStop":{"stopReason":"tool_use","p":"ab"}}',
  '{"metadata":{"usage":{"inputTokens":4,"outputTokens":5,"totalTokens":9},"metrics":{"latencyMs":6},"p":"abc"}}',
].map(fromLine);
/** The message that is broken. */
const AT = 5;
const before = two.slice(0, AT);
const after = two.slice(AT + 1);
const victim = two[AT] ?? Buffer.alloc(0);

/** The victim with one of its bytes changed. */
function damaged(at: number): Buffer {
  const copy = Buffer.from(victim);
  copy[at] = (copy[at] ?? 0) ^ 0x20;
  return copy;
}

const long = message({ ":event-type": "contentBlockDelta", ":message-type": "event" }, `{"p":"${"a".repeat(600)}"}`);
const error = message(
  { ":message-type": "error", ":error-code": "InternalError", ":error-message": "An internal server error occurred" },
  "",
);

/** The bodies that have no twin in JSON lines. */
const alone: Readonly<Record<string, readonly Buffer[]>> = {
  // A byte of the payload is another: its checksum does not fit.
  W004: [...before, damaged(victim.length - 12), ...after],
  // A byte of the length is another.
  W005: [...before, damaged(2), ...after],
  W006: [...before, long, ...after],
  W007: [...before, victim.subarray(0, victim.length - 30)],
  W012: [...two.slice(0, 1), error],
};

/** All binary bodies, by file name. */
export function binaryBodies(): Map<string, Buffer> {
  const bodies = new Map(Object.entries(alone));
  for (const file of readdirSync(here)) {
    const name = /^(W\d+)\.bedrock\.ndjson$/.exec(file)?.[1];
    if (name === undefined) continue;
    bodies.set(name, readFileSync(new URL(file, here), "utf8").trim().split("\n").map(fromLine));
  }
  return new Map([...bodies].map(([name, messages]) => [`${name}.bedrock.eventstream`, Buffer.concat([...messages])]));
}

if (import.meta.main) for (const [file, body] of binaryBodies()) writeFileSync(new URL(file, here), body);
