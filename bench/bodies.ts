// Wire bodies to measure with: ours, made from numbers, in the shape that each vendor gives its frames. Owns the making;
// measures nothing.

/** A body and what must come out of it. */
export interface Body {
  readonly name: string;
  readonly protocol: "openai-chat" | "openai-responses" | "anthropic";
  readonly bytes: Uint8Array;
  /** Byte offset of each frame's end, for feeding one frame at a time. */
  readonly frameEnds: readonly number[];
  /** Characters of argument text in all calls together. */
  readonly argumentCharacters: number;
}

/** How many calls, how long, in what pieces. */
export interface Shape {
  readonly name: string;
  readonly calls: number;
  /** Characters of each call's argument text, about. */
  readonly characters: number;
  /** Shortest and longest fragment in characters. */
  readonly fragment: readonly [number, number];
  /** Fragments of all calls in turn, not one call after another. */
  readonly interleaved?: true;
}

type Protocol = Body["protocol"];

const SENTENCE = 'Die Länge der "Zeile" ist 42;\n\tconst a = [1, 2];\\ 海と空 ';

/** Argument text of the given length, with escapes and non-ASCII: whole sentences, then filling. */
function argumentText(characters: number, call: number): string {
  const text = (content: string): string => JSON.stringify({ path: `src/file-${call}.ts`, content });
  const room = Math.max(0, characters - text("").length);
  const sentence = JSON.stringify(SENTENCE).length - '""'.length;
  return text(SENTENCE.repeat(Math.floor(room / sentence)) + "x".repeat(room % sentence));
}

/** Cuts a text into pieces of changing length; the lengths are the same on every run. */
function cut(text: string, [shortest, longest]: readonly [number, number]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = shortest + ((turn * 7) % (longest - shortest + 1));
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

const PADDING = "aX9kP2mQ7rT4vW1z";

const chat = (delta: unknown, finish: string | null, obfuscated: boolean, turn: number): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 1_795_000_000,
    model: "model-1",
    service_tier: "default",
    system_fingerprint: "fp_0a1b2c3d4e",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(obfuscated ? { usage: null, obfuscation: PADDING.slice(0, 4 + (turn % 12)) } : {}),
  })}\n\n`;

const named = (event: Record<string, unknown>): string =>
  `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`;

/** The frames of one wire: opening, header of a call, fragment of a call, close of a call, end. */
interface Frames {
  open(): string[];
  header(call: number): string;
  fragment(call: number, text: string): string;
  close(call: number, text: string): string[];
  end(): string[];
}

function chatFrames(obfuscated: boolean): Frames {
  let turn = 0;
  const entry = (index: number, rest: object) => ({ tool_calls: [{ index, ...rest }] });
  return {
    open: () => [chat({ role: "assistant", content: null }, null, obfuscated, turn++)],
    header: (call) =>
      chat(
        entry(call, { id: `call_${call}`, type: "function", function: { name: "write_file", arguments: "" } }),
        null,
        obfuscated,
        turn++,
      ),
    fragment: (call, text) => chat(entry(call, { function: { arguments: text } }), null, obfuscated, turn++),
    close: () => [],
    end: () => [chat({}, "tool_calls", obfuscated, turn++), "data: [DONE]\n\n"],
  };
}

function responsesFrames(): Frames {
  let sequence = 0;
  const event = (type: string, rest: object) =>
    named({ type: `response.${type}`, ...rest, sequence_number: sequence++ });
  const item = (call: number, text: string) => ({
    id: `fc_${call}`,
    type: "function_call",
    status: "in_progress",
    arguments: text,
    call_id: `call_${call}`,
    name: "write_file",
  });
  const key = (call: number) => ({ item_id: `fc_${call}`, output_index: call });
  return {
    open: () => [
      event("created", { response: { id: "resp_bench", object: "response", status: "in_progress", output: [] } }),
    ],
    header: (call) => event("output_item.added", { output_index: call, item: item(call, "") }),
    fragment: (call, text) =>
      event("function_call_arguments.delta", {
        ...key(call),
        delta: text,
        obfuscation: PADDING.slice(0, 4 + (sequence % 12)),
      }),
    close: (call, text) => [
      event("function_call_arguments.done", { ...key(call), arguments: text }),
      event("output_item.done", { output_index: call, item: item(call, text) }),
    ],
    end: () => [
      event("completed", { response: { id: "resp_bench", object: "response", status: "completed", output: [] } }),
    ],
  };
}

function anthropicFrames(): Frames {
  return {
    open: () => [
      named({
        type: "message_start",
        message: { id: "msg_bench", type: "message", role: "assistant", content: [], stop_reason: null },
      }),
    ],
    header: (call) =>
      named({
        type: "content_block_start",
        index: call,
        content_block: { type: "tool_use", id: `toolu_${call}`, name: "write_file", input: {} },
      }),
    fragment: (call, text) =>
      named({ type: "content_block_delta", index: call, delta: { type: "input_json_delta", partial_json: text } }),
    close: (call) => [named({ type: "content_block_stop", index: call })],
    end: () => [
      named({
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { output_tokens: 9 },
      }),
      named({ type: "message_stop" }),
    ],
  };
}

function framesOf(protocol: Protocol, obfuscated: boolean): Frames {
  if (protocol === "openai-responses") return responsesFrames();
  return protocol === "anthropic" ? anthropicFrames() : chatFrames(obfuscated);
}

/**
 * Makes a body.
 *
 * @param protocol The wire.
 * @param shape Calls, lengths, fragments.
 * @param obfuscated Chat only: with the random padding that OpenAI sends by default.
 */
export function makeBody(protocol: Protocol, shape: Shape, obfuscated = false): Body {
  const frames = framesOf(protocol, obfuscated);
  const texts = Array.from({ length: shape.calls }, (_, call) => argumentText(shape.characters, call));
  const pieces = texts.map((text) => cut(text, shape.fragment));
  const all: string[] = frames.open();
  if (shape.interleaved === true) {
    texts.forEach((_, call) => all.push(frames.header(call)));
    for (let turn = 0; pieces.some((list) => turn < list.length); turn++) {
      pieces.forEach((list, call) => {
        const piece = list[turn];
        if (piece !== undefined) all.push(frames.fragment(call, piece));
      });
    }
    texts.forEach((text, call) => all.push(...frames.close(call, text)));
  } else {
    texts.forEach((text, call) => {
      all.push(frames.header(call));
      for (const piece of pieces[call] ?? []) all.push(frames.fragment(call, piece));
      all.push(...frames.close(call, text));
    });
  }
  all.push(...frames.end());
  const encoder = new TextEncoder();
  let end = 0;
  return {
    name: `${shape.name}, ${protocol}${obfuscated ? " with obfuscation" : ""}`,
    protocol,
    bytes: encoder.encode(all.join("")),
    frameEnds: all.map((frame) => (end += encoder.encode(frame).length)),
    argumentCharacters: texts.reduce((sum, text) => sum + text.length, 0),
  };
}

/** Cuts a body into chunks: of so many bytes, or one frame each. */
export function chunksOf(body: Body, size: number | "frame"): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  if (size === "frame") {
    let start = 0;
    for (const end of body.frameEnds) {
      chunks.push(body.bytes.subarray(start, end));
      start = end;
    }
  } else {
    for (let at = 0; at < body.bytes.length; at += size) chunks.push(body.bytes.subarray(at, at + size));
  }
  return chunks;
}
