// A model in an OpenAI Realtime session, by text. Owns what is sent over the socket: the session's fields where they change,
// what is new of the history, and the word to answer.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { openaiRealtime as protocol } from "../protocols/openai-realtime.ts";
import { openaiRealtimeTurns as form } from "../turns/openai-realtime.ts";
import type { Body } from "./model-of.ts";
import { type Ends, SessionHistory, type Socket, type SocketFrame, SocketSession } from "./socket.ts";

/** What a model over a socket may be told. */
export interface SocketModelOptions {
  /** The model's name, for people: which one it is, the socket's address says. */
  readonly model: string;
  /** The socket: a session of its own for each conversation. Opened, authorised and closed by you. */
  readonly socket: Socket;
  /** More fields of the session (Realtime), the set-up (Live) or the request (Responses), in the vendor's own words. */
  readonly body?: Body;
  /** The provider's name for telemetry, where it is not the one whose wire it is. */
  readonly provider?: string;
}

/**
 * A model in a Realtime session. It takes and gives text; what you send and hear beside it is yours.
 *
 * @param options The model's name and the socket.
 * @example
 * const socket = new WebSocket("wss://api.openai.com/v1/realtime?model=gpt-realtime", ["realtime", `openai-insecure-api-key.${key}`]);
 * runTools({ model: openaiRealtime({ model: "gpt-realtime", socket }), messages, tools });
 */
export function openaiRealtime({ model, socket, body = {}, provider = "openai" }: SocketModelOptions): Model {
  const session = new SocketSession(socket, { type: "response.cancel" });
  const history = new SessionHistory(isAnswer);
  let said = "";
  let asked = 0;
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
      const update = {
        type: "session.update",
        session: { type: "realtime", output_modalities: ["text"], ...fields, ...body },
      };
      const isNew = JSON.stringify(update) !== said;
      said = JSON.stringify(update);
      const create = { type: "response.create", event_id: `unbraid_${asked++}` };
      return session.ask(
        [...(isNew ? [update] : []), ...history.next(messages), create],
        endOf(create.event_id),
        signal,
      );
    },
  };
}

/** A response that was refused never begins: there is an error that quotes the message which asked for it. */
function endOf(eventId: string): Ends {
  let isBegun = false;
  return ({ type, error }) => {
    if (type === "response.created") isBegun = true;
    if (type !== "error") return type === "response.done";
    const { event_id: about } = (error ?? {}) as SocketFrame;
    return about === eventId || (!isBegun && typeof about !== "string");
  };
}

function isAnswer({ item }: SocketFrame): boolean {
  const { type, role } = (item ?? {}) as SocketFrame;
  return type === "function_call" || type === "mcp_approval_request" || role === "assistant";
}
