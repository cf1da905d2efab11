// How the assembler speaks: events with their position, and notices that are said once a call and never without bound.
// Owns the position and the counting of notices; decides nothing.

import type { Dropped, NoticeCode, StreamEvent, WirePosition } from "../events.ts";
import type { CallRecord } from "./call-record.ts";
import type { TextNotice } from "./arguments.ts";
import { tooDeep } from "../wire-values.ts";

/** Notices of one reader after which further ones are not said: a hostile stream must not fill a list with them. */
const MAX_NOTICES = 1000;

/** Speaks for one reader. */
export class Speech {
  /** Where in the wire that which is said now comes from; the reader sets it before each frame. */
  at: WirePosition = { frame: 0, start: 0, end: 0 };
  /** The frame that is read now, as far as there is one. */
  frame: { readonly data: string } = { data: "" };
  readonly say: (event: StreamEvent) => void;
  /** Calls that got a key, and calls that started: both go on over all responses of the reader. */
  keys = 0;
  starts = 0;
  #count = 0;
  #muted = false;

  constructor(say: (event: StreamEvent) => void) {
    this.say = (event) => {
      if (!this.#muted) say(event);
    };
  }

  /** Reading has stopped: what the rest of the frame would say is not said. */
  mute(): void {
    this.#muted = true;
  }

  /** Says a notice; one without `dropped` is said once a call and code. */
  notice(code: NoticeCode, message: string, call?: CallRecord, dropped?: Dropped): void {
    if (call !== undefined && dropped === undefined) {
      if (call.said.has(code)) return;
      call.said.add(code);
    }
    this.#count++;
    if (this.#count > MAX_NOTICES) return;
    if (this.#count === MAX_NOTICES) {
      this.say({ type: "notice", code: "limit", message: "Further notices are not shown.", at: this.at });
      return;
    }
    this.say({
      type: "notice",
      code,
      message,
      ...(call === undefined ? {} : { call: call.key }),
      ...(dropped === undefined ? {} : { dropped }),
      at: this.at,
    });
  }

  /** A value to keep: a source of objects may go on changing its own, and one nested without end could not be stored. */
  own(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (tooDeep(value)) {
      this.notice("limit", "A part of the vendor's own that is nested too deep was left out.");
      return null;
    }
    if (this.at.start >= 0) return value;
    try {
      return structuredClone(value);
    } catch {
      return value;
    }
  }

  /** Says what the argument text of a call has noticed. */
  textNotices(call: CallRecord, notices: readonly TextNotice[]): void {
    for (const { code, message, dropped, reason } of notices) {
      if (dropped === undefined) this.notice(code, message, call);
      else this.notice(code, message, call, droppedFrom(call, reason ?? code, dropped));
    }
  }
}

/** A record of what was kept out of, or together with, a call. */
export function droppedFrom(call: CallRecord, reason: string, argumentsText: string): Dropped {
  const id = call.id === "" ? call.wireId : call.id;
  return {
    reason,
    ...(id === undefined ? {} : { id }),
    ...(call.name === "" ? {} : { name: call.name }),
    argumentsText,
  };
}
