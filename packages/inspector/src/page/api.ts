// What the page asks the server that it came from. Owns the addresses and forms; everything is relative to the page, whose
// address holds the secret.

import type { EntryDetails, EntryInfo } from "../server/entry.ts";
import { PieceReader } from "../server/pieces.ts";
import type { Piece } from "../model/recording.ts";

/** All responses that there are. */
export async function fetchEntries(): Promise<readonly EntryInfo[]> {
  return (await fetchJson("api/list")) as readonly EntryInfo[];
}

/** How one is to be read. */
export async function fetchDetails(id: string): Promise<EntryDetails> {
  return (await fetchJson(`api/details/${id}`)) as EntryDetails;
}

async function fetchJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok)
    throw new Error(response.status === 404 ? "it is no longer there" : `the server says ${response.status}`);
  return response.json() as Promise<unknown>;
}

/** The body of one, as far as it has come. */
export async function fetchPieces(id: string, signal: AbortSignal): Promise<readonly Piece[]> {
  const response = await fetch(`api/body/${id}`, { signal });
  if (!response.ok || response.body === null) throw new Error("it is no longer there");
  const reader = new PieceReader();
  const pieces: Piece[] = [];
  const bytes = response.body.getReader();
  for (let read = await bytes.read(); !read.done; read = await bytes.read()) pieces.push(...reader.push(read.value));
  return pieces;
}

/** Told of what happens at the server. */
export interface ServerListener {
  /** The connection stands: nothing that comes from now on is missed. */
  readonly ready: () => void;
  /** The connection is lost; it is tried again. */
  readonly lost: () => void;
  /** An entry is new or has changed. */
  readonly entry: (info: EntryInfo) => void;
  /** An entry is no longer there. */
  readonly gone: (id: string) => void;
  /** A chunk of the watched response, at its byte offset. */
  readonly chunk: (id: string, offset: number, piece: Piece) => void;
  /** The watched response is over. */
  readonly end: (id: string) => void;
}

interface Named {
  readonly id: string;
}

interface Chunk extends Named {
  readonly offset: number;
  /** Null where it is not known: JSON has no NaN. */
  readonly time: number | null;
  /** In base64. */
  readonly bytes: string;
}

/** Listens to the server, and to the chunks of one live response. Gives the way to stop. */
export function listen(watch: string | undefined, listener: ServerListener): () => void {
  const source = new EventSource(watch === undefined ? "api/events" : `api/events?watch=${encodeURIComponent(watch)}`);
  const on = (type: string, act: (data: unknown) => void): void => {
    source.addEventListener(type, (event: MessageEvent<string>) => act(JSON.parse(event.data)));
  };
  source.addEventListener("error", () => listener.lost());
  on("ready", () => listener.ready());
  on("entry", (data) => listener.entry(data as EntryInfo));
  on("gone", (data) => listener.gone((data as Named).id));
  on("end", (data) => listener.end((data as Named).id));
  on("chunk", (data) => {
    const { id, offset, time, bytes } = data as Chunk;
    listener.chunk(id, offset, { bytes: fromBase64(bytes), time: time ?? Number.NaN });
  });
  return () => source.close();
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
