// The task over sockets, against @copilotkit/aimock: sessions that keep the history themselves, and one that does not.

import { describe, expect, test } from "vitest";
import { runTools, type Model } from "../../packages/unbraid/src/harness/index.ts";
import { geminiLive, openaiRealtime, openaiResponses } from "../../packages/unbraid/src/models/index.ts";
import { mockOfTask } from "./aimock.test-kit.ts";
import { expectTask, OBJECTS, play, type Reasons, TEXTS } from "./task.test-kit.ts";

const mock = mockOfTask();

interface Over {
  readonly name: string;
  readonly path: string;
  readonly make: (socket: WebSocket) => Model;
  readonly reasons: Reasons;
}

const LIVE = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
const WAYS: readonly Over[] = [
  {
    name: "OpenAI Responses",
    path: "/v1/responses",
    make: (socket) => openaiResponses({ model: "gpt-5", socket }),
    reasons: TEXTS,
  },
  {
    name: "OpenAI Realtime",
    path: "/v1/realtime?model=gpt-realtime",
    make: (socket) => openaiRealtime({ model: "gpt-realtime", socket }),
    reasons: TEXTS,
  },
  {
    name: "Gemini Live",
    path: LIVE,
    make: (socket) => geminiLive({ model: "gemini-live", socket }),
    reasons: { ...OBJECTS, cut: "invalid-arguments" },
  },
];

function opened(path: string): { readonly socket: WebSocket; readonly sent: object[] } {
  const socket = new WebSocket(mock.url.replace("http", "ws") + path);
  const sent: object[] = [];
  const send = socket.send.bind(socket);
  socket.send = (data) => {
    sent.push(JSON.parse(data as string) as object);
    send(data);
  };
  return { socket, sent };
}

describe.each(WAYS)("$name over a socket", ({ path, make, reasons }) => {
  test("does the task on one socket, and no answer is sent back that the session gave", async () => {
    const { socket, sent } = opened(path);
    const model = make(socket);
    const played = await play(model);
    expectTask(model, reasons, played);
    socket.close();
    expect(sent.length).toBeGreaterThan(5);
    // A session gave them itself.
    if (model.wire.name !== "openai-responses")
      expect(JSON.stringify(sent)).not.toMatch(/"role":"(?:assistant|model)"|"type":"function_call"/);
  });

  test("a socket that is closed, or closes between, is an error of the connection", async () => {
    const { socket } = opened(path);
    const model = make(socket);
    const messages = model.form.user([{ type: "text", text: "?" }]);
    socket.close();
    expect(await runTools({ model, messages, backOff: () => 1 }).done).toMatchObject({
      reason: "error",
      error: { code: "connection" },
    });
  });
});
