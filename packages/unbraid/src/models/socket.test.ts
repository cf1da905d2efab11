// One response after another over a socket: who gets which frame, and what happens when it closes.

import { describe, expect, test } from "vitest";
import { type Socket, SessionHistory, SocketSession } from "./socket.ts";

type Listener = (event: { readonly data: unknown }) => void;

/** A socket that does what it is told. */
class FakeSocket implements Socket {
  readyState = 1;
  readonly sent: unknown[] = [];
  readonly #listeners: Map<string, Set<Listener>> = new Map();
  /** Called with each message that was sent. */
  onSend: (message: Readonly<Record<string, unknown>>) => void = () => {};

  send(data: string): void {
    const message = JSON.parse(data) as Readonly<Record<string, unknown>>;
    this.sent.push(message);
    this.onSend(message);
  }

  addEventListener(type: string, listener: never): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: never): void {
    this.#listeners.get(type)?.delete(listener);
  }

  say(type: "open" | "message" | "close" | "error", data?: unknown): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ data });
  }

  frame(frame: object): void {
    this.say("message", JSON.stringify(frame));
  }

  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

const ends = ({ type }: { readonly type?: unknown }): boolean => type === "end";
const { signal } = new AbortController();

async function all(frames: AsyncIterable<string>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const frame of frames) seen.push(JSON.parse(frame));
  return seen;
}

describe("a session", () => {
  test("sends, and gives frames to the end of the response and no further", async () => {
    const socket = new FakeSocket();
    const session = new SocketSession(socket);
    const frames = await session.ask([{ type: "a" }, { type: "b" }], ends, signal);
    expect(socket.sent).toEqual([{ type: "a" }, { type: "b" }]);
    for (const type of ["one", "two", "end", "late"]) socket.frame({ type });
    expect(await all(frames)).toEqual([{ type: "one" }, { type: "two" }, { type: "end" }]);
    expect(socket.listeners).toBe(0);
    const next = await session.ask([{ type: "c" }], ends, signal);
    socket.frame({ type: "end", of: "c" });
    expect(await all(next)).toEqual([{ type: "end", of: "c" }]);
  });

  test("waits until the socket is open", async () => {
    const socket = new FakeSocket();
    socket.readyState = 0;
    const asking = new SocketSession(socket).ask([{ type: "a" }], ends, signal);
    await Promise.resolve();
    expect(socket.sent).toEqual([]);
    socket.readyState = 1;
    socket.say("open");
    await asking;
    expect(socket.sent).toHaveLength(1);
  });

  test("reads binary messages", async () => {
    const socket = new FakeSocket();
    const frames = await new SocketSession(socket).ask([], ends, signal);
    socket.say("message", new Blob(['{"type":"blob"}']));
    socket.say("message", new TextEncoder().encode('{"type":"bytes"}'));
    socket.say("message", new TextEncoder().encode('{"type":"end"}').buffer);
    expect(await all(frames)).toEqual([{ type: "blob" }, { type: "bytes" }, { type: "end" }]);
  });

  test("takes one response at a time", async () => {
    const session = new SocketSession(new FakeSocket());
    const first = await session.ask([], ends, signal);
    await expect(session.ask([], ends, signal)).rejects.toMatchObject({ code: "client" });
    await first[Symbol.asyncIterator]().return?.();
  });

  test("does not leave the rest of a response to the next one", async () => {
    const socket = new FakeSocket();
    const session = new SocketSession(socket, { type: "stop" });
    for await (const _ of await session.ask([{ type: "a" }], ends, soon(socket, { type: "one" }))) break;
    expect(socket.sent).toEqual([{ type: "a" }, { type: "stop" }]);
    const asking = session.ask([{ type: "b" }], ends, signal);
    socket.frame({ type: "two", of: "a" });
    socket.frame({ type: "end", of: "a" });
    const next = await asking;
    socket.frame({ type: "end", of: "b" });
    expect(await all(next)).toEqual([{ type: "end", of: "b" }]);
    expect(socket.listeners).toBe(0);
  });

  test("stops with its signal, before and while it waits", async () => {
    const reason = new Error("enough");
    const socket = new FakeSocket();
    const session = new SocketSession(socket);
    await expect(session.ask([{ type: "a" }], ends, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(socket.sent).toEqual([]);
    const controller = new AbortController();
    const frames = await session.ask([{ type: "a" }], ends, controller.signal);
    setTimeout(() => controller.abort(reason), 5);
    await expect(all(frames)).rejects.toBe(reason);
  });

  test.each(["close", "error"] as const)("ends with a ModelError where the socket says %s", async (type) => {
    const socket = new FakeSocket();
    const session = new SocketSession(socket);
    const frames = await session.ask([], ends, signal);
    socket.frame({ type: "one" });
    socket.say(type);
    await expect(all(frames)).rejects.toMatchObject({ code: "connection", retryable: true });
    socket.readyState = 3;
    await expect(session.ask([], ends, signal)).rejects.toMatchObject({ code: "connection" });
  });
});

/** A signal that is never aborted; meanwhile the socket says something. */
function soon(socket: FakeSocket, frame: object): AbortSignal {
  setTimeout(() => socket.frame(frame), 1);
  return signal;
}

describe("what of a history a session has", () => {
  const history = (): SessionHistory => new SessionHistory(({ role }) => role === "assistant");
  const user = { role: "user" };
  const assistant = { role: "assistant" };
  const result = { role: "tool" };

  test("nothing at first, then all but what was added, and never its own answers", () => {
    const one = history();
    expect(one.next([user, assistant, user])).toEqual([user, assistant, user]);
    expect(one.next([user, assistant, user])).toEqual([]);
    expect(one.next([user, assistant, user, assistant, result, user])).toEqual([result, user]);
  });

  test("a shorter one is another conversation", () => {
    const one = history();
    one.next([user, assistant]);
    expect(() => one.next([user])).toThrow("one conversation");
  });
});
