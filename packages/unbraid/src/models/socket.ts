// One response after another over a socket that the user opened. Owns whose frames are whose: one who leaves a response does
// not leave its rest to the next; and what of a history the session has already. Knows no vendor.

import { ModelError } from "../harness/model-error.ts";
import { pause, unlessAborted } from "../harness/waiting.ts";

/** What is used of a WebSocket: the standard one, or that of `ws`. It is opened and closed by you. */
export interface Socket {
  /** 0 while it is opened, 1 while it is open. */
  readonly readyState: number;
  /** Sends a message. */
  send(data: string): void;
  /** Listens. */
  addEventListener(type: "open" | "message" | "close" | "error", listener: never): void;
  /** Listens no more. */
  removeEventListener(type: "open" | "message" | "close" | "error", listener: never): void;
}

/** A frame, parsed. */
export type SocketFrame = Readonly<Record<string, unknown>>;

/** Whether a frame is the last of a response; asked for each of its frames in order. */
export type Ends = (frame: SocketFrame) => boolean;

/** Milliseconds that a response that was left has to come to its end, so that the next one can be told from it. */
const PATIENCE = 5_000;
/** UTF-16 units, or bytes, that wait to be read: a socket cannot be told to wait. */
const MAX_WAITING = 256 * 1024 * 1024;

const OPENING = 0;
const OPEN = 1;

/** A socket, asked for one response at a time. */
export class SocketSession {
  readonly #socket: Socket;
  readonly #cancel: SocketFrame | undefined;
  /** A response that was left and has not ended. */
  #left: Promise<void> | undefined;
  #isBusy = false;

  /**
   * @param socket Open, or about to be.
   * @param cancel The message that stops a response, where there is one.
   */
  constructor(socket: Socket, cancel?: SocketFrame) {
    this.#socket = socket;
    this.#cancel = cancel;
  }

  /**
   * Sends messages, and gives the frames of the response that they call for.
   *
   * @throws ModelError where the socket is closed, or another response is being read.
   * @throws The signal's reason (by rejecting).
   */
  async ask(messages: readonly SocketFrame[], ends: Ends, signal: AbortSignal): Promise<AsyncIterable<string>> {
    if (this.#isBusy) throw new ModelError("client", "A response is being read on this socket: one at a time.");
    this.#isBusy = true;
    let frames: Frames | undefined;
    try {
      signal.throwIfAborted();
      // What still comes of the one before is not ours.
      if (this.#left !== undefined) await unlessAborted(this.#left, signal);
      frames = new Frames(this.#socket);
      await unlessAborted(frames.open(), signal);
      for (const message of messages) this.#socket.send(JSON.stringify(message));
    } catch (error) {
      frames?.stop();
      this.#isBusy = false;
      throw error;
    }
    return this.#response(frames, ends, signal);
  }

  async *#response(frames: Frames, ends: Ends, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    let ended = false;
    try {
      while (!ended) {
        const text = await unlessAborted(frames.next(), signal);
        ended = ends(parsed(text));
        yield text;
      }
    } finally {
      this.#isBusy = false;
      if (ended) frames.stop();
      else this.#left = this.#leave(frames, ends);
    }
  }

  /** Reads a response that nobody wants to its end. */
  async #leave(frames: Frames, ends: Ends): Promise<void> {
    const over = new AbortController();
    const rest = async (): Promise<void> => {
      while (!ends(parsed(await frames.next())));
    };
    try {
      if (this.#cancel !== undefined) this.#socket.send(JSON.stringify(this.#cancel));
      await Promise.race([rest(), pause(PATIENCE, over.signal)]);
    } catch {
      // The socket is closed: whoever asks next is told.
    } finally {
      over.abort();
      frames.stop();
      this.#left = undefined;
    }
  }
}

/** The messages of a socket from now on. */
class Frames {
  readonly #socket: Socket;
  readonly #waiting: unknown[] = [];
  #size = 0;
  #failed: ModelError | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.addEventListener("message", this.#onMessage as never);
    socket.addEventListener("open", this.#onOpen as never);
    socket.addEventListener("close", this.#onClose as never);
    socket.addEventListener("error", this.#onClose as never);
  }

  stop(): void {
    this.#socket.removeEventListener("message", this.#onMessage as never);
    this.#socket.removeEventListener("open", this.#onOpen as never);
    this.#socket.removeEventListener("close", this.#onClose as never);
    this.#socket.removeEventListener("error", this.#onClose as never);
    this.#waiting.length = 0;
  }

  /** Waits until the socket is open. */
  async open(): Promise<void> {
    while (this.#socket.readyState === OPENING && this.#failed === undefined) await this.#change();
    if (this.#failed !== undefined || this.#socket.readyState !== OPEN) throw this.#failed ?? closed();
  }

  /** The next message, as text. */
  async next(): Promise<string> {
    while (this.#waiting.length === 0) {
      if (this.#failed !== undefined) throw this.#failed;
      await this.#change();
    }
    const data = this.#waiting.shift();
    this.#size -= sizeOf(data);
    return textOf(data);
  }

  async #change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #onMessage = ({ data }: { readonly data: unknown }): void => {
    this.#size += sizeOf(data);
    if (this.#size > MAX_WAITING)
      this.#failed ??= new ModelError("stream", `More than ${MAX_WAITING} characters came that nobody read.`);
    else this.#waiting.push(data);
    this.#wake?.();
  };

  readonly #onOpen = (): void => this.#wake?.();

  readonly #onClose = (): void => {
    this.#failed ??= closed();
    this.#wake?.();
  };
}

function closed(): ModelError {
  return new ModelError("connection", "The socket is closed.", { retryable: true });
}

function sizeOf(data: unknown): number {
  if (typeof data === "string") return data.length;
  const { byteLength, size } = data as { readonly byteLength?: number; readonly size?: number };
  return byteLength ?? size ?? 0;
}

/** Gemini Live sends its JSON as binary messages: blobs in browsers and Node, bytes with `ws`. */
async function textOf(data: unknown): Promise<string> {
  if (typeof data === "string") return data;
  if (data instanceof Blob) return data.text();
  return new TextDecoder().decode(data as ArrayBuffer);
}

function parsed(text: string): SocketFrame {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as SocketFrame) : {};
  } catch {
    return {};
  }
}

/**
 * What of a history a session does not have yet: everything on a session that is new; later what was added, without the
 * answers, which it gave itself.
 */
export class SessionHistory {
  readonly #isAnswer: (message: SocketFrame) => boolean;
  #known = 0;

  /** @param isAnswer Whether a message is an answer of the model's. */
  constructor(isAnswer: (message: SocketFrame) => boolean) {
    this.#isAnswer = isAnswer;
  }

  /**
   * The messages to send; they count as sent.
   *
   * @throws ModelError where the history is shorter than that of the session.
   */
  next(messages: readonly unknown[]): readonly SocketFrame[] {
    if (messages.length < this.#known)
      throw new ModelError("client", "A session holds one conversation: open another socket for another history.");
    const isNew = this.#known === 0;
    const added = messages.slice(this.#known) as readonly SocketFrame[];
    this.#known = messages.length;
    return isNew ? added : added.filter((message) => !this.#isAnswer(message));
  }
}
