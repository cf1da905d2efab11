// The pieces of one answer in the order in which a wire can have them. Owns which piece is open, which waits behind it,
// and what of a call is held back; decides nothing about how a piece is written.

import type { CallIdentity, RetractReason, ToolCall } from "../events.ts";

/** What a piece of text is. */
export type TextKind = "text" | "refusal" | "reasoning";

/** A run of text. */
export interface TextBlock {
  readonly type: TextKind;
  /** The vendor's id of the item that holds it, where it is known. */
  readonly item: string | undefined;
  /** The vendor's field that holds it, where dialects differ. */
  readonly field: string | undefined;
  /** Text that waits until the block can be opened. */
  waiting: string[];
  /** Parts that belong to the run and wait with it. */
  parts: unknown[];
  over: boolean;
}

/** One call. */
export interface CallBlock {
  readonly type: "call";
  /** As it was known at the start, or where it was held, at the close. */
  call: CallIdentity;
  /** Written only at its close. */
  readonly held: boolean;
  /** The vendor's own fields, as far as they were known at the start. */
  readonly echo: Readonly<Record<string, unknown>> | undefined;
  /** Text that waits until the block can be opened. */
  waiting: string[];
  /** The call as it closed. */
  closed: ToolCall | undefined;
  written: boolean;
  /** UTF-16 units of argument text that were written. */
  length: number;
}

/** A part of the vendor's own. */
export interface PartBlock {
  readonly type: "part";
  readonly part: unknown;
}

/** Writes pieces as they become due. */
export interface BlockWriter {
  /** A run of text begins. */
  openText(block: TextBlock): void;
  /** It goes on. Never empty. */
  text(block: TextBlock, text: string): void;
  /** It is over. */
  closeText(block: TextBlock): void;
  /** A call begins. */
  openCall(block: CallBlock): void;
  /** Its arguments go on. Never empty. */
  append(block: CallBlock, text: string): void;
  /** It is over. */
  closeCall(block: CallBlock, call: ToolCall): void;
  /** A call that was opened and not closed is something else than what was written. */
  replace(block: CallBlock, text: string): void;
  /** A call that was opened, perhaps closed too, is taken back. */
  retract(block: CallBlock, reason: RetractReason): void;
  /** A vendor's part; `run` is the open run that it belongs to, which stays open until `closeText`. */
  part(part: unknown, run: TextBlock | undefined): void;
}

/** How a wire takes pieces. */
export interface BlockOrder {
  /** One piece at a time: what begins while another is open waits for its end. */
  readonly sequential: boolean;
  /** Calls are written at their close. */
  readonly hold: boolean;
  /** Whether a part belongs to a run of text that is open: inside it, or as its last piece. By default it does not. */
  readonly belongs?: (part: unknown, run: TextKind) => "inside" | "end" | undefined;
}

/** The pieces of one choice. */
export class Blocks {
  readonly #writer: BlockWriter;
  readonly #order: BlockOrder;
  readonly #calls: Map<string, CallBlock> = new Map();
  /** In a sequential wire, what is open and what waits behind it; in another, nothing. */
  #queue: (TextBlock | CallBlock | PartBlock)[] = [];
  /** The first of the queue that is not done with: taken off in turns, so that a long queue costs no more. */
  #head = 0;
  /** The run of text that goes on where text of its kind comes. */
  #run: TextBlock | undefined;

  constructor(writer: BlockWriter, order: BlockOrder) {
    this.#writer = writer;
    this.#order = order;
  }

  /** Text of one kind, in an item or a field of the vendor's. */
  text(type: TextKind, text: string, item?: string, field?: string): void {
    let run = this.#run;
    if (run === undefined || run.type !== type || run.item !== item) {
      this.#endRun();
      run = this.#run = { type, item, field, waiting: [], parts: [], over: false };
      this.#begin(run);
    }
    if (this.#isLive(run)) this.#writer.text(run, text);
    else run.waiting.push(text);
  }

  /** A part of the vendor's own. */
  part(part: unknown): void {
    const run = this.#run;
    const place = run === undefined ? undefined : this.#order.belongs?.(part, run.type);
    if (run !== undefined && place !== undefined) {
      if (this.#isLive(run)) this.#writer.part(part, run);
      else run.parts.push(part);
      if (place === "end") this.#endRun();
      return;
    }
    this.#endRun();
    if (!this.#order.sequential || this.#head >= this.#queue.length) this.#writer.part(part, undefined);
    else this.#queue.push({ type: "part", part });
  }

  /** A call begins. */
  start(call: CallIdentity, echo?: Readonly<Record<string, unknown>>, hold: boolean = this.#order.hold): void {
    const block: CallBlock = {
      type: "call",
      call,
      held: hold,
      echo,
      waiting: [],
      closed: undefined,
      written: false,
      length: 0,
    };
    this.#calls.set(call.key, block);
    if (hold) return;
    this.#endRun();
    this.#begin(block);
  }

  /** Argument text. */
  append(key: string, text: string): void {
    const block = this.#calls.get(key);
    if (block === undefined || block.held || text === "") return;
    if (block.written) this.#append(block, text);
    else block.waiting.push(text);
  }

  /** The call's whole text is now this. */
  replace(key: string, text: string): void {
    const block = this.#calls.get(key);
    if (block === undefined || block.held) return;
    if (block.written) this.#writer.replace(block, text);
    else block.waiting = text === "" ? [] : [text];
  }

  /** The call is over. */
  close(call: ToolCall): void {
    const block = this.#calls.get(call.key);
    if (block === undefined || block.closed !== undefined) return;
    block.closed = call;
    if (block.held) {
      block.call = call;
      block.waiting = call.argumentsText === "" ? [] : [call.argumentsText];
      this.#endRun();
      this.#begin(block);
    } else if (block.written) {
      this.#writer.closeCall(block, call);
    }
    this.#advance();
  }

  /** The call is taken back. */
  retract(key: string, reason: RetractReason): void {
    const block = this.#calls.get(key);
    if (block === undefined) return;
    this.#calls.delete(key);
    if (block.written) {
      this.#writer.retract(block, reason);
      block.closed ??= taken(block.call);
    } else {
      this.#queue = this.#queue.slice(this.#head).filter((each) => each !== block);
      this.#head = 0;
    }
    this.#advance();
  }

  /** Nothing more comes: calls that nobody closed are cut off. */
  end(): void {
    this.#endRun();
    for (const block of this.#calls.values()) if (block.closed === undefined) this.close(cutOff(block));
  }

  #endRun(): void {
    const run = this.#run;
    if (run === undefined) return;
    const live = this.#isLive(run);
    run.over = true;
    this.#run = undefined;
    if (live) this.#writer.closeText(run);
    this.#advance();
  }

  #begin(block: TextBlock | CallBlock): void {
    if (!this.#order.sequential) return this.#write(block);
    this.#queue.push(block);
    if (this.#queue.length - this.#head === 1) this.#write(block);
    this.#advance();
  }

  #isLive(block: TextBlock): boolean {
    return !this.#order.sequential || this.#queue[this.#head] === block;
  }

  /** Writes what has waited; what is over by then is ended too. */
  #write(block: TextBlock | CallBlock): void {
    const { waiting } = block;
    block.waiting = [];
    if (block.type !== "call") {
      this.#writer.openText(block);
      if (waiting.length > 0) this.#writer.text(block, waiting.join(""));
      for (const part of block.parts) this.#writer.part(part, block);
      if (block.over) this.#writer.closeText(block);
      return;
    }
    block.written = true;
    this.#writer.openCall(block);
    if (waiting.length > 0) this.#append(block, waiting.join(""));
    if (block.closed !== undefined) this.#writer.closeCall(block, block.closed);
  }

  #append(block: CallBlock, text: string): void {
    block.length += text.length;
    this.#writer.append(block, text);
  }

  /** Goes on in the queue, as far as its first pieces are over. */
  #advance(): void {
    let head = this.#queue[this.#head];
    while (head !== undefined && isOver(head)) {
      head = this.#queue[++this.#head];
      if (head?.type === "part") this.#writer.part(head.part, undefined);
      else if (head !== undefined) this.#write(head);
    }
    if (head !== undefined) return;
    this.#queue = [];
    this.#head = 0;
  }
}

function isOver(block: TextBlock | CallBlock | PartBlock): boolean {
  return block.type === "part" || (block.type === "call" ? block.closed !== undefined : block.over);
}

function cutOff({ call, waiting }: CallBlock): ToolCall {
  return {
    ...call,
    status: "truncated",
    argumentsText: waiting.join(""),
    arguments: null,
    problem: { code: "never-closed", message: "The response ended before the call was closed." },
  };
}

function taken(call: CallIdentity): ToolCall {
  return { ...call, status: "truncated", argumentsText: "", arguments: null };
}
