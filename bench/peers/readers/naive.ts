// Two readers of thirty lines as people write them: one that keys fragments by their index, one that adds every fragment
// to the last call. Both split lines, take what follows `data: ` and parse it. Owns these readings, which need no package.

import type { Ask, Handed, HandedCall, Peer, Wire } from "../peer.ts";

/** What a frame says of calls, in the words of the wire. */
interface Piece {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly value?: unknown;
}

/** Calls in the making. */
type Store = { add(piece: Piece): string; calls(): HandedCall[] };
type Growing = { id: string | undefined; name: string; text: string; value?: unknown };

const begin = ({ id, name }: Piece): Growing => ({ id, name: name ?? "", text: "" });

/** Gives the text so far. */
function grow(call: Growing, { id, name, text, value }: Piece): string {
  call.id ||= id;
  call.name ||= name ?? "";
  call.text += text ?? "";
  if (value !== undefined) call.value = value;
  return call.text;
}

/** By index, as the guides show it. */
function byIndex(): Store {
  const calls = new Map<number, Growing>();
  return {
    add(piece) {
      const call = calls.get(piece.index) ?? begin(piece);
      calls.set(piece.index, call);
      return grow(call, piece);
    },
    calls: () => [...calls.values()],
  };
}

/** A fragment with an id begins a call; every other one belongs to the last. */
function byLast(): Store {
  const calls: Growing[] = [];
  return {
    add(piece) {
      if (piece.id || calls.length === 0) calls.push(begin(piece));
      const last = calls.at(-1);
      return last ? grow(last, piece) : "";
    },
    calls: () => calls,
  };
}

interface Frame {
  readonly type?: string;
  readonly index?: number;
  readonly output_index?: number;
  readonly item?: { readonly type: string; readonly call_id: string; readonly name: string };
  readonly response?: { readonly status?: string };
  readonly content_block?: { readonly type: string; readonly id: string; readonly name: string };
  readonly delta?: string | { readonly partial_json?: string; readonly stop_reason?: string };
  readonly choices?: readonly {
    readonly delta: {
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason?: string;
  }[];
  readonly candidates?: readonly {
    readonly content?: {
      readonly parts?: readonly {
        readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
      }[];
    };
    readonly finishReason?: string;
  }[];
}

/** What one frame of each wire says. */
const pieces: Readonly<
  Record<Wire, (frame: Frame, count: () => number) => { pieces: Piece[]; finish?: string | undefined }>
> = {
  "openai-chat"({ choices }) {
    const choice = choices?.[0];
    return {
      pieces: (choice?.delta.tool_calls ?? []).map(({ index, id, function: named }) => ({
        index,
        ...(id ? { id } : {}),
        ...(named?.name ? { name: named.name } : {}),
        text: named?.arguments ?? "",
      })),
      finish: choice?.finish_reason,
    };
  },
  "openai-responses"({ type, item, delta, response, output_index = 0 }) {
    if (type === "response.output_item.added" && item?.type === "function_call")
      return { pieces: [{ index: output_index, id: item.call_id, name: item.name }] };
    if (type === "response.function_call_arguments.delta" && typeof delta === "string")
      return { pieces: [{ index: output_index, text: delta }] };
    const last = ["response.completed", "response.incomplete", "response.failed"].includes(type ?? "");
    return { pieces: [], finish: last ? response?.status : undefined };
  },
  anthropic({ type, content_block: block, delta, index = 0 }) {
    if (type === "content_block_start" && block?.type === "tool_use")
      return { pieces: [{ index, id: block.id, name: block.name }] };
    if (typeof delta !== "object") return { pieces: [] };
    return {
      pieces: delta.partial_json === undefined ? [] : [{ index, text: delta.partial_json }],
      finish: delta.stop_reason,
    };
  },
  gemini({ candidates }, count) {
    const candidate = candidates?.[0];
    const calls = (candidate?.content?.parts ?? []).flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
    return {
      pieces: calls.map(({ id, name, args }, at) => ({
        index: count() + at,
        id: id ?? `made-${count() + at}`,
        name,
        value: args ?? {},
      })),
      finish: candidate?.finishReason,
    };
  },
};

async function readNaively(wire: Wire, store: Store, ask: Ask, onText?: (text: string) => void): Promise<Handed> {
  const { url, signal } = ask;
  const response = await fetch(url, { method: "POST", body: "{}", signal });
  const decoder = new TextDecoder();
  let rest = "";
  let finish: string | null = null;
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ") || line.trim() === "data: [DONE]") continue;
      const said = pieces[wire](JSON.parse(line.slice(6)) as Frame, () => store.calls().length);
      for (const piece of said.pieces) {
        const text = store.add(piece);
        onText?.(text);
      }
      finish ??= said.finish ?? null;
    }
  }
  return {
    calls: store.calls().map(({ text, ...call }) => ("value" in call ? call : { ...call, text: text ?? "" })),
    finish,
  };
}

/** The reader by index, for one that does something with the text so far at every fragment. */
export const readByIndex = (wire: Wire, ask: Ask, onText: (text: string) => void): Promise<Handed> =>
  readNaively(wire, byIndex(), ask, onText);

const peer = (name: string, store: () => Store, wire: Wire): Peer => ({
  name,
  wire,
  packages: [],
  read: (ask) => readNaively(wire, store(), ask),
});

export const naivePeers: readonly Peer[] = [
  ...(["openai-chat", "openai-responses", "anthropic"] as const).flatMap((wire) => [
    peer("a naive reader, by index", byIndex, wire),
    peer("a naive reader, to the last call", byLast, wire),
  ]),
  // Gemini sends whole calls: both readers are the same.
  peer("a naive reader, by index", byIndex, "gemini"),
];
