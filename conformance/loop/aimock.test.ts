// The task against @copilotkit/aimock, which frames what it is told in its own way: every wire that it serves, over fetch
// and over the vendor's official client.

import { describe, test } from "vitest";
import { overClients, overFetch } from "../../packages/unbraid/src/models/served.test-kit.ts";
import type { ScriptedWire } from "../../packages/unbraid/src/models/scripted.test-kit.ts";
import { mockOfTask } from "./aimock.test-kit.ts";
import { expectTask, OBJECTS, play, type Reasons, TEXTS } from "./task.test-kit.ts";

const mock = mockOfTask();

/** It reads arguments as JSON before it sends them, and has no finish word for length on two of its wires. */
const REASONS: Readonly<Record<ScriptedWire, Reasons>> = {
  "openai-chat": TEXTS,
  "openai-responses": TEXTS,
  mistral: TEXTS,
  anthropic: OBJECTS,
  gemini: OBJECTS,
  bedrock: OBJECTS,
  cohere: OBJECTS,
  "gemini-interactions": { ...OBJECTS, cut: "invalid-arguments" },
  ollama: { ...OBJECTS, cut: "invalid-arguments" },
};

/** What stands behind the mock's address for each wire, and behind that of its client. */
const PATHS: Readonly<Record<ScriptedWire, readonly [fetch: string, client: string]>> = {
  "openai-chat": ["/v1", "/v1"],
  "openai-responses": ["/v1", "/v1"],
  anthropic: ["/v1", ""],
  gemini: ["/v1beta", ""],
  "gemini-interactions": ["/v1beta", ""],
  bedrock: ["", ""],
  cohere: ["/v2", ""],
  mistral: ["/v1", ""],
  ollama: ["", ""],
};

describe.each([
  ...overFetch.map((way) => ({ ...way, path: PATHS[way.wire][0] })),
  // Mistral's client refuses what it sends on that path: OpenAI's chunks, whose later ones have no name.
  ...overClients.filter(({ wire }) => wire !== "mistral").map((way) => ({ ...way, path: PATHS[way.wire][1] })),
])("$name", ({ wire, model: make, path }) => {
  test("does the task", async () => {
    const model = make(mock.url + path);
    expectTask(model, REASONS[wire], await play(model));
  });
});
