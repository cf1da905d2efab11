// A model in a Gemini Live session, by text. Owns what is sent over the socket: the set-up once, and what is new of the
// history.

import { fullWire } from "../full-wire.ts";
import { ModelError } from "../harness/model-error.ts";
import type { Model } from "../harness/model.ts";
import { gemini as protocol } from "../protocols/gemini.ts";
import { geminiLiveTurns as form } from "../turns/gemini-live.ts";
import type { SocketModelOptions } from "./openai-realtime.ts";
import { SessionHistory, type SocketFrame, SocketSession } from "./socket.ts";

/**
 * A model in a Live session, in its first moment: the set-up, which names the model and its tools, is sent by us, once.
 * It takes and gives text; what you send and hear beside it is yours.
 *
 * @param options The model's name and the socket.
 * @example
 * runTools({ model: geminiLive({ model: "gemini-live-2.5-flash", socket }), messages, tools });
 */
export function geminiLive({ model, socket, body = {}, provider = "gcp.gemini" }: SocketModelOptions): Model {
  const session = new SocketSession(socket);
  const history = new SessionHistory(isAnswer);
  let setUp: string | undefined;
  return {
    wire: fullWire(protocol),
    form,
    provider,
    name: model,
    send: async ({ messages, system, tools, signal }) => {
      const fields = form.request({
        messages: [],
        ...(system === undefined ? {} : { system }),
        ...(tools.length === 0 ? {} : { tools }),
      });
      const name = model.includes("/") ? model : `models/${model}`;
      const setup = { model: name, generationConfig: { responseModalities: ["TEXT"] }, ...fields, ...body };
      const said = JSON.stringify(setup);
      if (setUp !== undefined && setUp !== said)
        throw new ModelError("client", "A Live session is set up once: its tools and instructions cannot change.");
      const first: readonly SocketFrame[] = setUp === undefined ? [{ setup }] : [];
      setUp = said;
      return session.ask([...first, ...history.next(messages)], isEnd, signal);
    },
  };
}

/** The model waits for results, or for the user. */
function isEnd(frame: SocketFrame): boolean {
  const { turnComplete } = (frame["serverContent"] ?? {}) as SocketFrame;
  return frame["toolCall"] !== undefined || turnComplete === true || frame["error"] !== undefined;
}

function isAnswer({ clientContent }: SocketFrame): boolean {
  const { turns } = (clientContent ?? {}) as { readonly turns?: readonly { readonly role?: string }[] };
  return turns?.some(({ role }) => role === "model") === true;
}
