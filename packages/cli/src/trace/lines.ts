// The stream line by line as it goes by. Owns what each event looks like; the columns are rows.ts, and what is said at the
// end is summary.ts.

import { ParseState, type ParseStep, type ParseWord } from "@unbraid/inspector/analysis";
import type {
  CallAppendEvent,
  CallCloseEvent,
  CallIdentity,
  CallReplaceEvent,
  CallRetractEvent,
  CallStartEvent,
  ErrorEvent,
  NoticeEvent,
  ResponseEvent,
  StreamEvent,
  WirePosition,
} from "unbraid";
import { statusPaint } from "../report/calls-table.ts";
import { finishWords, tokenWords } from "../report/ending.ts";
import type { Tally } from "../report/tally.ts";
import { around, type Brush, brush, fit } from "../terminal/fit.ts";
import { grouped, type Page } from "../terminal/page.ts";
import type { Paint } from "../terminal/style.ts";
import { Lanes } from "./lanes.ts";
import { Rows } from "./rows.ts";
import { runWord, TextRun } from "./text-run.ts";

/** UTF-16 units of an error's message that are shown: it may be a whole page. */
const MAX_MESSAGE = 1000;

const plain: Paint = (text) => text;

/** What to leave out. */
export interface TraceOptions {
  /** A run of text or reasoning comes in one line with its size, however many fragments it had. */
  readonly callsOnly: boolean;
  /** Each line says when its bytes came, in milliseconds since the request. */
  readonly timed?: boolean;
}

/** Turns events into lines. */
export class TraceLines {
  readonly #page: Page;
  readonly #tally: Tally;
  readonly #options: TraceOptions;
  readonly #lanes: Lanes;
  readonly #rows: Rows;
  readonly #states: Map<string, ParseState> = new Map();
  readonly #run: TextRun = new TextRun();

  /**
   * @param page Where the lines are written.
   * @param tally The numbers of the calls; must have seen an event before it comes here.
   * @param options What to leave out.
   */
  constructor(page: Page, tally: Tally, options: TraceOptions) {
    this.#page = page;
    this.#tally = tally;
    this.#options = options;
    this.#lanes = new Lanes(page.style);
    this.#rows = new Rows(page, this.#lanes, options.timed === true);
    this.#rows.head();
  }

  /** The lines of some events; the last one may go on with the next events. */
  lines(events: readonly StreamEvent[]): string {
    for (const event of events) {
      const run = this.#run.take(event);
      if (run !== undefined && this.#options.callsOnly) this.#aside(run, run.word, run.summary);
      this.#event(event);
    }
    return this.#rows.take();
  }

  /** What is missing at the end of the last line. */
  end(): string {
    this.#rows.close();
    return this.#rows.take();
  }

  #event(event: StreamEvent): void {
    const { style } = this.#page;
    switch (event.type) {
      case "response":
        return this.#response(event);
      case "call.start":
        return this.#start(event);
      case "call.append":
        return this.#fragment(event);
      case "call.replace":
        return this.#replace(event);
      case "call.close":
        return this.#close(event);
      case "call.retract":
        return this.#retract(event);
      case "text":
      case "reasoning":
        return this.#options.callsOnly
          ? undefined
          : this.#rows.flow(event.at, runWord(event) ?? event.type, event.text);
      case "usage":
        return this.#aside(event, "usage", tokenWords({ input: event.inputTokens, output: event.outputTokens }));
      case "notice":
        return this.#notice(event);
      case "error":
        return this.#error(event);
      case "finish":
        return this.#rows.row(
          event.at,
          this.#lanes.draw(),
          style.bold,
          "finish",
          finishWords(event.reason, event.raw, this.#rows.room, style),
        );
      default:
    }
  }

  /** A line about no call. */
  #aside({ at }: { readonly at: WirePosition }, word: string, body: string): void {
    const { dim } = this.#page.style;
    if (body !== "") this.#rows.row(at, this.#lanes.draw(), dim, word, this.#fitted(body, dim));
  }

  #response(event: ResponseEvent): void {
    const words = [event.model, event.id].filter((word) => word !== undefined).join("  ");
    this.#aside(event, "response", words);
  }

  #start({ call, at }: CallStartEvent): void {
    const { style } = this.#page;
    const number = this.#number(call);
    this.#lanes.open(call.key, number);
    this.#states.set(call.key, new ParseState(call.kind));
    const { room } = this.#rows;
    const paint = style.call(number - 1);
    const name = fit(call.name === "" ? "(no name)" : call.name, room, {
      brush: this.#brush((text) => style.bold(paint(text))),
    });
    const beside = [
      ...(call.kind === "function" ? [] : [call.kind]),
      ...(call.choice === 0 ? [] : [`choice ${call.choice}`]),
      call.id,
    ];
    const left = room - name.width - 2;
    const rest = left < 4 ? "" : `  ${fit(beside.join("  "), left, { brush: this.#brush(style.dim) }).text}`;
    this.#rows.row(at, this.#lanes.draw(call.key), style.dim, "starts", name.text + rest);
  }

  #replace(event: CallReplaceEvent): void {
    const { yellow } = this.#page.style;
    this.#states.get(event.call.key)?.reset();
    this.#rows.row(
      event.at,
      this.#lanes.draw(event.call.key),
      yellow,
      "replaced",
      this.#fitted("the text so far becomes this:", yellow),
    );
    this.#fragment(event);
  }

  #fragment({ call, text, at }: CallAppendEvent | CallReplaceEvent): void {
    const { style } = this.#page;
    const step = this.#states.get(call.key)?.feed(text) ?? { word: "text", fault: undefined, offset: 0 };
    const paints = this.#brush(style.call(this.#number(call) - 1));
    const lanes = this.#lanes.draw(call.key);
    const { room } = this.#rows;
    if (step.fault !== undefined)
      return this.#broken(step, around(text, step.offset, room, paints), (body) =>
        this.#rows.row(at, lanes, this.#wordPaint(step.word), step.word, body),
      );
    const shown = fit(text, room, { brush: paints, edges: true, count: true });
    this.#rows.row(at, lanes, this.#wordPaint(step.word), step.word, shown.text);
  }

  /** The fragment that broke the text, a caret under the character that did it, and why. */
  #broken(step: ParseStep, { text, column }: { text: string; column: number }, row: (body: string) => void): void {
    const { red } = this.#page.style;
    row(text);
    this.#rows.under(`${" ".repeat(Math.min(column, this.#rows.room - 1))}${red("^")}`);
    if (step.fault !== undefined) this.#rows.words(`offset ${grouped(step.fault.offset)}: ${step.fault.message}`, red);
  }

  #close({ call, at }: CallCloseEvent): void {
    const { problem, status } = call;
    const lanes = this.#lanes.draw(call.key, "└");
    this.#leave(call);
    const body = problem === undefined ? "" : this.#page.style.red(problem.code);
    this.#rows.row(at, lanes, statusPaint(status, this.#page.style), status, body);
    if (problem !== undefined && problem.offset === undefined) this.#rows.words(problem.message, plain);
  }

  #retract({ call, reason, at }: CallRetractEvent): void {
    const { yellow } = this.#page.style;
    const lanes = this.#lanes.draw(call.key, "╳");
    this.#leave(call);
    this.#rows.row(
      at,
      lanes,
      yellow,
      "retracted",
      this.#fitted(`#${this.#number(call)} must not run: ${reason}`, yellow),
    );
  }

  #leave(call: CallIdentity): void {
    this.#lanes.close(call.key);
    this.#states.delete(call.key);
  }

  #notice({ code, message, call, dropped, at }: NoticeEvent): void {
    const { style } = this.#page;
    const number = call === undefined ? undefined : this.#tally.number(call);
    const about = `${code}${number === undefined ? "" : ` #${number}`}`;
    this.#rows.row(at, this.#lanes.draw(), style.yellow, "notice", this.#fitted(about, style.yellow));
    this.#rows.words(message, plain);
    if (dropped?.argumentsText === undefined || dropped.argumentsText === "") return;
    const label = "dropped: ";
    const shown = fit(dropped.argumentsText, this.#rows.room - label.length, {
      brush: this.#brush(style.dim),
      count: true,
    });
    this.#rows.under(`${style.dim(label)}${shown.text}`);
  }

  #error({ error, at }: ErrorEvent): void {
    const { red } = this.#page.style;
    this.#rows.row(at, this.#lanes.draw(), red, "error", this.#fitted(String(error.code ?? "(no code)"), red));
    this.#rows.words(error.message.slice(0, MAX_MESSAGE), plain);
  }

  #number(call: CallIdentity): number {
    return this.#tally.number(call.key) ?? 0;
  }

  #brush(paint: Paint): Brush {
    return brush(this.#page.style, paint);
  }

  #fitted(text: string, paint: Paint): string {
    return fit(text, this.#rows.room, { brush: this.#brush(paint) }).text;
  }

  #wordPaint(word: ParseWord): Paint {
    const { style } = this.#page;
    if (word === "parses") return (text) => style.bold(style.green(text));
    return word === "broken" ? style.red : style.dim;
  }
}
