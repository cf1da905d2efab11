import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { ByteQueue } from "./byte-queue.ts";

describe("ByteQueue", () => {
  test.prop([fc.array(fc.uint8Array({ maxLength: 9 })), fc.array(fc.nat(12))])(
    "gives what it got, in order",
    (pieces, sizes) => {
      const queue = new ByteQueue();
      for (const piece of pieces) queue.push(piece);
      const all = Buffer.concat(pieces);
      expect(queue.peek()).toBe(all.toString("latin1"));
      for (let at = 0; at <= all.length; at++) expect(queue.at(at)).toBe(all[at]);
      let from = 0;
      for (const size of sizes) {
        expect(Buffer.from(queue.take(size))).toEqual(all.subarray(from, from + size));
        from = Math.min(all.length, from + size);
        expect(queue.length).toBe(all.length - from);
      }
    },
  );

  it("takes a long frame in linear time", () => {
    const queue = new ByteQueue();
    const piece = new Uint8Array(64);
    for (let count = 0; count < 200_000; count++) queue.push(piece);
    expect(queue.take(200_000 * 64).length).toBe(200_000 * 64);
  });
});
