import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decompressed } from "./decompress.ts";

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; error: unknown }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of chunks) parts.push(chunk);
    return { bytes: Buffer.concat(parts), error: undefined };
  } catch (error) {
    return { bytes: Buffer.concat(parts), error };
  }
}

const text = Buffer.from(Array.from({ length: 2000 }, (_, at) => `data: {"n":${at}}\n\n`).join(""));

describe("decompressed", () => {
  it.each([1, 2, 7, 5000, 1 << 20])("decompresses whatever the pieces (%i bytes)", async (size) => {
    expect((await all(decompressed(cut(gzipSync(text), size)))).bytes.equals(text)).toBe(true);
  });

  it("leaves other bytes alone", async () => {
    for (const bytes of [text, Buffer.from("x"), Buffer.from([0x1f]), Buffer.from([0x1f, 0x8c, 3]), Buffer.alloc(0)])
      expect((await all(decompressed(cut(bytes, 1000)))).bytes.equals(bytes)).toBe(true);
  });

  it("reads members one after another, as `cat a.gz b.gz` makes them", async () => {
    const both = Buffer.concat([gzipSync("one "), gzipSync("two")]);
    expect((await all(decompressed(cut(both, 3)))).bytes.toString()).toBe("one two");
  });

  it("gives out what it could read before it says that the rest is missing", async () => {
    // Random bytes do not compress: half of the file is about half of the text.
    const noise = randomBytes(400_000);
    const file = gzipSync(noise);
    const { bytes, error } = await all(decompressed(cut(file.subarray(0, file.length / 2), 64 * 1024)));
    expect(error).toMatchObject({ code: "Z_BUF_ERROR" });
    expect(bytes.length).toBeGreaterThan(150_000);
    expect(noise.subarray(0, bytes.length).equals(bytes)).toBe(true);
  });

  it("gives out what it could read before damage", async () => {
    const noise = randomBytes(400_000);
    const file = Buffer.from(gzipSync(noise));
    file.fill(0xff, 300_000, 300_200);
    const { bytes, error } = await all(decompressed(cut(file, 64 * 1024)));
    expect(error).toBeDefined();
    expect(bytes.length).toBeGreaterThan(200_000);
  });

  it("passes on what the source throws", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield gzipSync("abc").subarray(0, 5);
      throw new Error("gone");
    }
    expect((await all(decompressed(failing()))).error).toMatchObject({ message: "gone" });
  });
});
