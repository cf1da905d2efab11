// The binary bodies are what their script writes.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { binaryBodies } from "./cases-wires/aws-frames.ts";

const folder = new URL("./cases-wires/", import.meta.url);

test("every binary body is made by aws-frames.ts", () => {
  const made = binaryBodies();
  const there = readdirSync(folder).filter((file) => file.endsWith(".eventstream"));
  expect(there.toSorted()).toEqual([...made.keys()].toSorted());
  for (const [file, bytes] of made) expect(readFileSync(new URL(file, folder)).equals(bytes), file).toBe(true);
});

test("every answer has a body, and every body an answer", () => {
  const names = (pattern: RegExp): string[] =>
    [...new Set(readdirSync(folder).flatMap((file) => pattern.exec(file)?.[1] ?? []))].toSorted();
  expect(names(/^(.+)\.expected\.json$/)).toEqual(names(/^(.+?)\.(?!expected\.).+\.\w+$/));
});
