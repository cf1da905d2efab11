// The loopback server of the inspector. Owns its life and the answers to requests; what is shown is on the shelf, who may
// ask is access.ts.

import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { accessTo, SECURITY_HEADERS } from "./access.ts";
import { type Asset, loadAssets } from "./assets.ts";
import type { RecordedResponse, ResponseDescription } from "./entry.ts";
import { pieceBytes } from "./pieces.ts";
import { type LiveFeed, Shelf } from "./shelf.ts";

/** What an inspector may be told. */
export interface InspectorOptions {
  /** The port on 127.0.0.1; 0 takes a free one. Default 0. */
  readonly port?: number;
  /** Longest body that is read and shown, in bytes. Default 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Live responses that are kept at most. Default 500. */
  readonly maxLiveResponses?: number;
  /** Bytes of live responses that are kept at most, all together. Default 256 MiB. */
  readonly maxLiveBytes?: number;
}

/** A live response, fed as it comes. */
export interface LiveResponse {
  /**
   * Takes the next bytes of the wire.
   *
   * @param bytes A copy is made: the array may be used again.
   * @param time When they came, in milliseconds of any clock that does not go back. Default: now, by `performance.now()`.
   */
  push(bytes: Uint8Array, time?: number): void;
  /**
   * Ends the response. Later calls do nothing.
   *
   * @param failure Why it ended early, in plain words.
   */
  end(failure?: string): void;
}

/** A page that shows responses, and the server behind it. */
export interface Inspector {
  /** Shows a recorded response. */
  add(response: RecordedResponse): void;
  /** Shows a live response as it comes. */
  open(description: ResponseDescription): LiveResponse;
  /**
   * Starts the server on 127.0.0.1.
   *
   * @returns The page's address. It holds a secret: who has it sees everything that is shown.
   * @throws Error where the port is taken, or the page has not been built.
   */
  listen(): Promise<string>;
  /** Stops the server and ends every connection. */
  close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;
/** A page that takes nothing for so long that this many bytes wait for it is let go; it comes back by itself. */
const MAX_WAITING = 32 * MEBIBYTE;

/**
 * Makes an inspector.
 *
 * @param options See {@link InspectorOptions}.
 * @example
 * const inspector = createInspector();
 * console.log(await inspector.listen());
 * const response = inspector.open({ name: "POST /v1/chat/completions" });
 * response.push(chunk);
 * response.end();
 */
export function createInspector(options: InspectorOptions = {}): Inspector {
  return new InspectorServer(options);
}

class InspectorServer implements Inspector {
  readonly #port: number;
  readonly #shelf: Shelf;
  readonly #token: string = randomBytes(18).toString("base64url");
  #server: Server | undefined;
  #assets: ReadonlyMap<string, Asset> = new Map();

  constructor(options: InspectorOptions) {
    this.#port = options.port ?? 0;
    this.#shelf = new Shelf({
      maxBodyBytes: options.maxBodyBytes ?? 64 * MEBIBYTE,
      maxLiveResponses: options.maxLiveResponses ?? 500,
      maxLiveBytes: options.maxLiveBytes ?? 256 * MEBIBYTE,
    });
  }

  add(response: RecordedResponse): void {
    this.#shelf.add(response);
  }

  open(description: ResponseDescription): LiveResponse {
    const feed: LiveFeed = this.#shelf.open(description);
    return {
      push: (bytes, time = performance.now()) => feed.push(bytes, time),
      end: (failure) => feed.end(failure),
    };
  }

  async listen(): Promise<string> {
    this.#assets = loadAssets();
    const server = createServer((request, response) => this.#answer(request, response));
    this.#server = server;
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    return `http://127.0.0.1:${portOf(server)}/${this.#token}/`;
  }

  async close(): Promise<void> {
    this.#shelf.close();
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (value !== undefined) response.setHeader(name, value);
    const server = this.#server;
    const access = server === undefined ? { refused: 503 } : accessTo(request, portOf(server), this.#token);
    if ("refused" in access) return refuse(response, access.refused);
    const asset = this.#assets.get(access.path);
    if (asset !== undefined) {
      response.writeHead(200, { "content-type": asset.type }).end(asset.content);
      return;
    }
    const [room, what, id = ""] = access.path.split("/");
    if (room !== "api") return refuse(response, 404);
    if (what === "list") return json(response, this.#shelf.infos);
    if (what === "details") return json(response, this.#shelf.details(id));
    if (what === "body") return void this.#body(id, response);
    if (what === "events") return this.#events(access.query.get("watch") ?? "", response);
    refuse(response, 404);
  }

  async #body(id: string, response: ServerResponse): Promise<void> {
    const chunks = this.#shelf.chunks(id);
    if (chunks === undefined) return refuse(response, 404);
    response.writeHead(200, { "content-type": "application/octet-stream", "content-disposition": "attachment" });
    try {
      for await (const { bytes, time } of chunks) {
        if (!response.write(pieceBytes(bytes, time))) await drained(response);
        if (response.destroyed) return;
      }
      response.end();
    } catch {
      // The page has what came, and the entry says why there is no more.
      response.end();
    }
  }

  /** Server-sent events: every change of the list, and the chunks of one live response. */
  #events(watched: string, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (event: string, data: unknown): void => {
      if (response.writableLength > MAX_WAITING) response.destroy();
      else response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    };
    // Tells the page that nothing which comes from now on will be missed.
    send("ready", {});
    const leave = [
      this.#shelf.watch({
        entry: (info) => send("entry", info),
        gone: (id) => send("gone", { id }),
      }),
    ];
    const live = this.#shelf.liveBody(watched);
    if (live?.over === true) send("end", { id: watched });
    else if (live !== undefined)
      leave.push(
        live.watch({
          chunk: (offset, { bytes, time }) =>
            send("chunk", { id: watched, offset, time, bytes: Buffer.from(bytes).toString("base64") }),
          end: () => send("end", { id: watched }),
        }),
      );
    response.on("close", () => {
      for (const each of leave) each();
    });
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end();
}

function json(response: ServerResponse, value: unknown): void {
  if (value === undefined) return refuse(response, 404);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}
