// A model that plays a script without any network. Owns the playing; the bodies are those of models/scripted.test-kit.ts.

import { bodyOf, type ScriptedAnswer, type ScriptedWire } from "../models/scripted.test-kit.ts";
import { wires } from "../any-wire.ts";
import { turnForms } from "../turns/index.ts";
import type { Model, ModelRequest } from "./model.ts";

/** One answer: as it is written, raw, or none at all. */
export type Turned =
  | (ScriptedAnswer & {
      /** Milliseconds between frames. */
      readonly slow?: number;
      /** How many frames are left out at the end. */
      readonly cut?: number;
      /** The last of these frames is held back until this has happened. */
      readonly after?: Promise<unknown>;
    })
  | { readonly raw: string }
  | { readonly throws: Error };

/** A model that was scripted, with what it was asked. */
export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
}

const PROTOCOL = { "gemini-interactions": "gemini" } as const;
const FORM = { "gemini-interactions": "gemini/interactions" } as const;

/**
 * Makes one. A turn that is not in the script is an error.
 *
 * @param pick Which turn answers a request, by default the next one.
 */
export function scriptedModel(
  wire: ScriptedWire,
  turns: readonly Turned[],
  pick?: (request: ModelRequest) => number,
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const protocol = wire in PROTOCOL ? PROTOCOL[wire as keyof typeof PROTOCOL] : (wire as keyof typeof wires);
  const form = wire in FORM ? FORM[wire as keyof typeof FORM] : (wire as keyof typeof turnForms);
  return {
    wire: wires[protocol],
    form: turnForms[form],
    provider: "scripted",
    name: "scripted",
    requests,
    send: async (request) => {
      const turn = turns[pick?.(request) ?? requests.length];
      requests.push(request);
      if (turn === undefined) throw new Error("The script is over.");
      if ("throws" in turn) throw turn.throws;
      if ("raw" in turn) return turn.raw;
      return played(wire, turn);
    },
  };
}

async function* played(
  wire: ScriptedWire,
  { slow, cut = 0, after, ...answer }: Extract<Turned, { readonly id: string }>,
): AsyncGenerator<Uint8Array> {
  const { frames } = bodyOf(wire, answer);
  const sent = frames.slice(0, frames.length - cut);
  for (const frame of sent) {
    if (frame === sent.at(-1)) await after;
    if (slow !== undefined) await new Promise((resolve) => setTimeout(resolve, slow));
    yield frame;
  }
}
