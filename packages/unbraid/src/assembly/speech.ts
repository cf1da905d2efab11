// How the assembler speaks: events with their position, and notices that are said once a call and never without bound.
// Owns the position and the counting of notices; decides nothing.

import type { Dropped, NoticeCode, StreamEvent, WirePosition } from "../events.ts";
import { defined } from "../defined.ts";
import { SENTENCES, type Sentences } from "./notices.ts";
import { tooDeep } from "../wire-values.ts";

/** Notices of one reader after which further ones are not said: a hostile stream must not fill a list with them. */
const MAX_NOTICES = 1000;

/** An event without its position; a field that may be absent may be undefined. */
type Untold<Event = StreamEvent> = Event extends StreamEvent
  ? { [Name in keyof Event as Exclude<Name, "at">]: Event[Name] | Absent<Pick<Event, Name>> }
  : never;
type Absent<Field> = Partial<Field> extends Field ? undefined : never;

/** A call of which something is noticed. */
export interface NoticedCall {
  readonly key: string;
  /** The id that is given out, empty before the start. */
  readonly id: string;
  readonly wireId: string | undefined;
  readonly name: string;
  /** Notices said once already. */
  readonly said: Set<string>;
}

/** Speaks for one reader. */
export class Speech {
  /** Where in the wire that which is said now comes from; the reader sets it before each frame. */
  at: WirePosition = { frame: 0, start: 0, end: 0 };
  /** The frame that is read now, as far as there is one. */
  frame: { readonly data: string } = { data: "" };
  /** What tells this response from others, for made ids; undefined until something has come. */
  seed: string | undefined;
  readonly say: (event: StreamEvent) => void;
  /** Calls that got a key, and calls that started: both go on over all responses of the reader. */
  keys = 0;
  starts = 0;
  #count = 0;
  #muted = false;

  readonly #sentences: Sentences;

  /**
   * @param say Takes the events, in order.
   * @param sentences The words of the notices.
   */
  constructor(say: (event: StreamEvent) => void, sentences: Sentences = SENTENCES) {
    this.#sentences = sentences;
    this.say = (event) => {
      if (!this.#muted) say(event);
    };
  }

  /** Reading has stopped: what the rest of the frame would say is not said. */
  mute(): void {
    this.#muted = true;
  }

  /** Says an event with its position, and without the fields that are not known. */
  tell(event: Untold): void {
    this.say({ ...defined(event), at: this.at } as StreamEvent);
  }

  /**
   * Says a notice in the words of its code.
   *
   * @param code The code.
   * @param call The call that it concerns: without a text that was kept out it is said once a call and code.
   * @param about What the sentence is about.
   * @param dropped What was kept out.
   */
  notice(code: NoticeCode, call?: NoticedCall, about?: string, dropped?: Dropped): void {
    if (call !== undefined && dropped === undefined) {
      if (call.said.has(code)) return;
      call.said.add(code);
    }
    const sentence = this.#sentences[code] ?? code;
    this.remark(code, about === undefined ? `${sentence}.` : `${sentence}: ${about}`, call, dropped);
  }

  /** Says a notice in these words. */
  remark(code: NoticeCode, message: string, call?: NoticedCall, dropped?: Dropped): void {
    this.#count++;
    if (this.#count < MAX_NOTICES) this.tell({ type: "notice", code, message, call: call?.key, dropped });
    else if (this.#count === MAX_NOTICES)
      this.tell({ type: "notice", code: "limit", message: "Further notices are not shown." });
  }

  /** A value to keep: a source of objects may go on changing its own, and one nested without end could not be stored. */
  own(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (tooDeep(value)) {
      this.remark("limit", "A vendor's part that is nested too deep was left out.");
      return null;
    }
    if (this.at.start >= 0) return value;
    try {
      return structuredClone(value);
    } catch {
      return value;
    }
  }
}
