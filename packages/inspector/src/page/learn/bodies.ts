// Bodies for the lessons, framing and all, with arrival times. Owns how each vendor writes a chunk.

import type { Piece } from "../../model/recording.ts";

/** Milliseconds after the chunk before, what the chunk says, and a finish word. */
export type Paced<Said = object> = readonly [pause: number, said: Said, finish?: string];

const encoder = new TextEncoder();

function pieces(chunks: readonly (readonly [pause: number, text: string])[]): readonly Piece[] {
  let time = 0;
  return chunks.map(([pause, text]) => ({ time: (time += pause), bytes: encoder.encode(text) }));
}

/** Deltas of OpenAI Chat Completions. */
export function chatBody(deltas: readonly Paced[]): readonly Piece[] {
  const chunk = (delta: object, finish: string | null): object => ({
    id: "chatcmpl-demo",
    object: "chat.completion.chunk",
    model: "demo-chat",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return pieces([
    ...deltas.map(([pause, delta, finish]) => [pause, sse(chunk(delta, finish ?? null))] as const),
    [10, "data: [DONE]\n\n"],
  ]);
}

/** One event of Anthropic Messages. */
export interface AnthropicEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Events of Anthropic Messages. */
export function anthropicBody(events: readonly Paced<AnthropicEvent>[]): readonly Piece[] {
  return pieces(events.map(([pause, event]) => [pause, `event: ${event.type}\n${sse(event)}`]));
}

/** Parts of Gemini. */
export function geminiBody(parts: readonly Paced<readonly object[]>[]): readonly Piece[] {
  return pieces(
    parts.map(([pause, said, finish]) => [
      pause,
      sse({
        candidates: [
          {
            content: { role: "model", parts: said },
            ...(finish === undefined ? {} : { finishReason: finish }),
            index: 0,
          },
        ],
        modelVersion: "demo-gemini",
        responseId: "demo-1",
      }),
    ]),
  );
}

function sse(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
