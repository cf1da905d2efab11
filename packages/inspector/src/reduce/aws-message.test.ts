import { EventStreamCodec } from "@smithy/eventstream-codec";
import { describe, expect, it } from "vitest";
import { bytesOf } from "../model/bodies.test-kit.ts";
import { withPayload } from "./aws-message.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => new Uint8Array(Buffer.from(text, "utf8")),
);

function message(payload: string): Uint8Array {
  return codec.encode({
    headers: { ":event-type": { type: "string", value: "contentBlockDelta" } },
    body: bytesOf(payload),
  });
}

describe("another payload", () => {
  it.each(["", "{}", '{"longer":"than it was"}', "é".repeat(300)])(
    "makes a message that AWS's own codec reads: %j",
    (payload) => {
      const made = withPayload(message('{"a":1}'), () => bytesOf(payload));
      const { headers, body } = codec.decode(made);
      expect(headers[":event-type"]?.value).toBe("contentBlockDelta");
      expect(Buffer.from(body).toString()).toBe(payload);
      expect(Buffer.from(made).equals(Buffer.from(message(payload)))).toBe(true);
    },
  );

  it("leaves what is no message as it is", () => {
    const cut = message("{}").subarray(0, 30);
    for (const damaged of [cut, new Uint8Array(3), new Uint8Array(40)])
      expect(withPayload(damaged, () => bytesOf("x"))).toBe(damaged);
  });
});
