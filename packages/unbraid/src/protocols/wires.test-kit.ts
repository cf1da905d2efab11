// What every wire must bear, over the bodies of conformance/cases-wires: cut anywhere, frames lost, doubled, swapped,
// shuffled. Owns the checks; what the bodies come to stands beside them, and is compared in conformance/.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createReader } from "../any-wire.ts";
import type { StreamEvent } from "../events.ts";
import type { ReaderOptions } from "../reader.ts";
import { brokenInvariants } from "../invariants.test-kit.ts";
import type { Protocol, ProtocolName } from "./protocol.ts";
import { eventsOf, inPieces, inRandomPieces, random, shuffled } from "./reading.test-kit.ts";

const folder = new URL("../../../../conformance/cases-wires/", import.meta.url);

/** One composed body. */
export interface Body {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly options: ReaderOptions;
  /** Several responses may stand in it. */
  readonly session: boolean;
}

/** The bodies of a wire, or those of one case. */
export function bodiesOf(protocol: ProtocolName, name = ""): Body[] {
  return readdirSync(folder)
    .toSorted()
    .filter((file) => file.startsWith(name) && file.includes(`.${protocol}.`))
    .map((file) => {
      const answer = JSON.parse(readFileSync(new URL(`${file.split(".")[0] ?? ""}.expected.json`, folder), "utf8")) as {
        readonly limits?: ReaderOptions["limits"];
        readonly variant?: string;
      };
      return {
        file,
        bytes: readFileSync(new URL(file, folder)),
        options: answer.limits === undefined ? {} : { limits: answer.limits },
        session: protocol === "openai-realtime" || ["websocket", "live"].includes(answer.variant ?? ""),
      };
    });
}

/** The frames of a body, framing and all; a binary body's messages by their lengths. */
export function framesOf({ file, bytes }: Body): Uint8Array[] {
  if (file.endsWith(".eventstream")) return messagesOf(bytes);
  const text = new TextDecoder().decode(bytes);
  const parts = file.endsWith(".sse")
    ? text.split(/(?<=\n\n)/)
    : file.endsWith(".ndjson")
      ? text.split(/(?<=\n)/)
      : [text];
  return parts.map((part) => new TextEncoder().encode(part));
}

function messagesOf(bytes: Uint8Array): Uint8Array[] {
  const messages: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = Math.max(16, Math.min(view.getUint32(at), bytes.length - at));
    messages.push(bytes.subarray(at, at + length));
    at += length;
  }
  return messages;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Runs all checks over the bodies of a wire. */
export function wireSuite(protocol: Protocol): void {
  describe.each(bodiesOf(protocol.name))("$file", (body) => {
    const { bytes, options } = body;
    const whole = eventsOf(protocol, [bytes], options);
    const frames = framesOf(body);

    test("keeps the invariants, and they hold wherever the body is cut off", () => {
      sound(protocol, body, bytes, "is whole");
      for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 800)) {
        sound(protocol, body, bytes.subarray(0, length), `ends at byte ${length}`);
      }
    });

    test("gives the same events however the bytes are cut", () => {
      for (const size of [1, 2, 7])
        expect(eventsOf(protocol, inPieces(bytes, size), options), `${size}`).toEqual(whole);
      for (let seed = 1; seed <= 8; seed++) {
        expect(eventsOf(protocol, inRandomPieces(bytes, seed), options), `seed ${seed}`).toEqual(whole);
      }
    });

    test("is found from its bytes", () => {
      const reader = createReader(options);
      const events = [...reader.push(bytes), ...reader.end()];
      expect([protocol.name, ...(protocol.name === "mistral" ? ["openai-chat"] : [])]).toContain(reader.protocol);
      expect(events).toEqual(whole);
    });

    test("may lose, double or swap any frame", () => {
      for (const [at, frame] of frames.entries()) {
        sound(protocol, body, joined(frames.toSpliced(at, 1)), `lacks frame ${at}`);
        sound(protocol, body, joined(frames.toSpliced(at, 0, frame)), `has frame ${at} twice`);
        const next = frames[at + 1];
        if (next !== undefined)
          sound(protocol, body, joined(frames.toSpliced(at, 2, next, frame)), `has frames ${at} and ${at + 1} swapped`);
      }
    });

    test("may come in any order, in any selection, and twice over", () => {
      for (let seed = 1; seed <= 25; seed++) {
        sound(protocol, body, joined(shuffled(frames, seed)), `is shuffled, seed ${seed}`);
        const next = random(seed);
        const some = Array.from(
          { length: frames.length * 2 },
          () => frames[Math.floor(next() * frames.length)] ?? bytes,
        );
        sound(protocol, body, joined(some), `is drawn, seed ${seed}`);
      }
      sound(protocol, body, joined([bytes, bytes]), "is read twice over");
    });
  });
}

function sound(protocol: Protocol, body: Body, bytes: Uint8Array, how: string): void {
  let events: StreamEvent[];
  try {
    events = eventsOf(protocol, [bytes], body.options);
  } catch (error) {
    throw new Error(`threw when the body ${how}`, { cause: error });
  }
  const broken = brokenInvariants(events, bytes.length, body.session);
  if (broken.length > 0) expect.fail(`when the body ${how}:\n${broken.join("\n")}`);
}
