// @copilotkit/aimock, told to play the task: a peer that frames what it is told in its own way. Owns its start and stop.

import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { SCRIPT } from "./task.test-kit.ts";

/** Starts it before a file's tests, and begins the script anew before each. */
export function mockOfTask(): LLMock {
  let turn = 0;
  const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 4 });
  beforeAll(async () => {
    mock.on({ predicate: () => true }, () => {
      const { text = "", calls = [], finish } = SCRIPT[turn++] ?? { text: "over" };
      const toolCalls = calls.map(({ id, name, text: args }) => ({ id, name, arguments: args }));
      return {
        ...(text === "" ? {} : { content: text }),
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
        ...(finish === undefined || finish === null ? {} : { finishReason: finish }),
      };
    });
    await mock.start();
  });
  beforeEach(() => {
    turn = 0;
  });
  afterAll(() => mock.stop());
  return mock;
}
