// The calls of one channel while they are read: said at once, kept until the end of the message decides, or not said at
// all because the tool was not declared. Owns these modes; where markup begins and ends is channel.ts.

import type { Dropped, NoticeCode } from "../events.ts";
import type { CallOut, Form, KnownTool, Verdict } from "./form.ts";
import type { Input } from "./input.ts";
import type { KnownTools } from "./tools.ts";

/** What a channel speaks to. */
export interface ChannelHost {
  /** The text is a model's raw output: special tokens in it are no words. */
  readonly raw: boolean;
  readonly tools: KnownTools;
  text(text: string): void;
  reasoning(text: string): void;
  /** Opens a call and gives the key to speak of it. */
  open(tool: KnownTool, form: Form, id: string | undefined): string;
  append(key: string, json: string): void;
  close(key: string, id: string | undefined): void;
  /** Closes a call that is not whole. */
  cut(key: string): void;
  notice(code: NoticeCode, message: string, dropped?: Dropped): void;
  /** Whether the server sent a call in its own field. */
  readonly hasCalls: boolean;
  /** Whether a call was recovered from the text. */
  readonly hasRecovered: boolean;
}

/** A call that waits for the end of the message. */
interface KeptCall {
  readonly tool: KnownTool;
  readonly form: Form;
  id: string | undefined;
  json: string;
  isClosed: boolean;
}

/** Calls that are ones only if nothing follows them, and their text. */
interface Batch {
  readonly form: Form;
  readonly isReasoning: boolean;
  readonly calls: KeptCall[];
  text: string;
}

const MAX_SHOWN = 1000;

/** See the file's head. */
export class CallsOf implements CallOut {
  readonly #host: ChannelHost;
  readonly #input: Input;
  readonly #plain: (text: string) => void;
  readonly #flush: () => void;
  #form: Form | undefined;
  #batch: Batch | undefined;
  /** Calls that the form being read has opened. */
  #made = 0;
  #mute = false;
  /** Its tool was not declared, and others of the same markup were: it is dropped. */
  #skipped: { text: string } | undefined;
  /** The open call. */
  #key: string | undefined;
  /** Argument text of the open call that is not handed on yet. */
  #json = "";

  constructor(host: ChannelHost, input: Input, plain: (text: string) => void, flush: () => void) {
    this.#host = host;
    this.#input = input;
    this.#plain = plain;
    this.#flush = flush;
  }

  /** Whether calls are kept that only the end of the message decides. */
  get isTentative(): boolean {
    return this.#batch !== undefined;
  }

  /** The form of the calls that are kept. */
  get form(): Form | undefined {
    return this.#batch?.form;
  }

  /** Whether the form being read has opened a call. */
  get madeAny(): boolean {
    return this.#made > 0;
  }

  get mute(): boolean {
    return this.#mute;
  }

  /** UTF-16 units that are held back. */
  get heldLength(): number {
    return (this.#batch?.text.length ?? 0) + this.#input.heldLength;
  }

  /** A form is read from here on. `tentative`: its calls are ones only if nothing follows. */
  begin(form: Form, tentative: boolean, isReasoning: boolean): void {
    if (this.#batch !== undefined) this.#batch.text += this.#input.release();
    else if (tentative) this.#batch = { form, isReasoning, calls: [], text: "" };
    this.#input.hold();
    this.#form = form;
    this.#made = 0;
    this.#mute = false;
    this.#skipped = undefined;
  }

  /** It was not that form: goes back to where it began. */
  rewind(): void {
    this.#input.rewind();
    if (this.#batch?.text === "" && this.#batch.calls.length === 0) this.#batch = undefined;
    if (this.#batch === undefined) this.#input.drop();
  }

  /** The form has been read. False where what was read is plain text. */
  finish(verdict: Verdict): boolean {
    const input = this.#input;
    if (this.#mute || verdict === "text") {
      this.#mute = false;
      this.#plain(this.giveUp() + input.release());
      return false;
    }
    this.#skipped = undefined;
    if (this.#batch === undefined) input.drop();
    return true;
  }

  /** Gives back the text of the calls that are kept, without what the input holds: they are none. */
  giveUp(): string {
    const text = this.#batch?.text ?? "";
    this.#batch = undefined;
    return text;
  }

  /** Hands on what has gathered since the last piece of text. */
  keepUp(): void {
    this.#handOn();
    if (this.#mute) {
      this.#plain(this.#input.release());
      this.#input.hold();
    } else if (this.#skipped !== undefined) {
      this.#skipped.text = (this.#skipped.text + this.#input.release()).slice(0, MAX_SHOWN);
      this.#input.hold();
    }
  }

  /** The message is over: the calls that are kept are ones, or text. */
  settle(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    const text = this.giveUp() + this.#input.release();
    const whole = batch.calls.every((call) => call.isClosed);
    const isOne =
      batch.calls.length > 0 && (!batch.isReasoning || (whole && !this.#host.hasCalls && !this.#host.hasRecovered));
    if (!isOne) return this.#plain(text);
    this.#flush();
    for (const { tool, form, id, json, isClosed } of batch.calls) {
      const key = this.#host.open(tool, form, id);
      if (json !== "") this.#host.append(key, json);
      if (isClosed) this.#host.close(key, id);
      else this.#host.cut(key);
    }
  }

  tool(name: string): KnownTool | undefined {
    const form = this.#form;
    return this.#host.tools.tool(name, (form?.kind === "named" && form.names) || "plain");
  }

  mayBecomeTool(start: string): boolean {
    return this.#host.tools.mayBecomeTool(start);
  }

  open(tool: KnownTool | undefined, id?: string): void {
    if (this.#mute) return;
    const input = this.#input;
    const form = this.#form;
    if (tool === undefined || form === undefined) {
      if (this.#made > 0 && this.#batch === undefined) this.#skipped = { text: input.release() };
      else {
        this.#mute = true;
        this.#plain(this.giveUp() + input.release());
      }
      return input.hold();
    }
    this.#made++;
    const batch = this.#batch;
    if (batch !== undefined) {
      batch.calls.push({ tool, form, id, json: "", isClosed: false });
      return;
    }
    input.drop();
    this.#flush();
    this.#key = this.#host.open(tool, form, id);
  }

  append(json: string): void {
    if (this.#mute || this.#skipped !== undefined) return;
    const kept = this.#batch?.calls.at(-1);
    if (kept === undefined) this.#json += json;
    else kept.json += json;
  }

  close(id?: string): void {
    const kept = this.#batch?.calls.at(-1);
    if (this.#mute) this.#undeclared("it stays text.");
    else if (this.#skipped !== undefined) this.#endSkipped();
    else if (kept !== undefined) {
      kept.isClosed = true;
      kept.id ??= id;
    } else if (this.#key !== undefined) {
      this.#handOn();
      this.#host.close(this.#key, id);
      this.#key = undefined;
      this.#input.hold();
    }
  }

  cut(): void {
    if (this.#skipped !== undefined) this.#endSkipped();
    if (this.#mute || this.#batch !== undefined || this.#key === undefined) return;
    this.#handOn();
    this.#host.cut(this.#key);
    this.#key = undefined;
    this.#input.hold();
  }

  #handOn(): void {
    const json = this.#json;
    if (json === "" || this.#key === undefined) return;
    this.#json = "";
    this.#host.append(this.#key, json);
  }

  #endSkipped(): void {
    const text = ((this.#skipped?.text ?? "") + this.#input.release()).slice(0, MAX_SHOWN);
    this.#skipped = undefined;
    this.#input.hold();
    this.#undeclared("it was dropped from the text.", text);
  }

  #undeclared(what: string, argumentsText?: string): void {
    this.#host.notice(
      "unknown-tool",
      `The text holds a call in the form "${this.#form?.name ?? ""}" to a tool that was not declared; ${what}`,
      argumentsText === undefined ? undefined : { reason: "undeclared-tool", argumentsText },
    );
  }
}
