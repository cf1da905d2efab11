// Spans for a run: one for the run, one for each time a model is asked, one for each time a tool runs. Owns what of a run
// is told to OpenTelemetry; changes nothing of what happens in it. No content unless asked, and never a key of the ledger:
// who knows one could pass off a call as run.

import {
  context,
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { FinishEvent, ToolCall } from "../events.ts";
import { isModelError } from "../harness/model-error.ts";
import type { Model, ModelRequest } from "../harness/model.ts";
import type { ToolResultEvent } from "../harness/events.ts";
import type { RunEndEvent, RunEvent } from "../harness/run-events.ts";
import type { Tool, ToolContext } from "../harness/tool.ts";
import { ATTRIBUTE, EVENT, OPERATION, OTHER_ERROR } from "./names.ts";
import { outputMessages, Said } from "./content.ts";

/** What `traced` may be told. */
export interface TelemetryOptions {
  /** Gives the tracer, which is named `unbraid`. By default the global provider. */
  readonly tracerProvider?: {
    /** Gives the tracer of a name: OpenTelemetry's `Tracer`. */
    getTracer(name: string): unknown;
  };
  /** The agent's name, for `gen_ai.agent.name`. */
  readonly agent?: string;
  /** Your id of the conversation, for `gen_ai.conversation.id`. The run's name in the ledger is not told. */
  readonly conversation?: string;
  /** Tells contents too: instructions, what the model wrote, arguments and results. False by default. */
  readonly content?: boolean;
}

/** The options of a run that are wrapped. */
export interface Traceable {
  /** The model. */
  readonly model: Model;
  /** The tools, or what gives them for each turn. */
  readonly tools?: readonly Tool[] | (() => readonly Tool[] | Promise<readonly Tool[]>);
  /** Told of every event. */
  readonly onEvent?: (event: RunEvent) => void;
}

/**
 * Wraps the options of one run, so that it says spans: `invoke_agent` for the run, below it `chat` (or
 * `generate_content`) for each request to the model and `execute_tool` for each tool that runs. A result that the ledger had is
 * no execution: it is an event on the run's span. Tools and requests run inside their span's context, so that what they
 * trace stands below them. The span that is active now becomes the parent.
 *
 * @param options The options for one call of `runTools`.
 * @returns The same options, to be used once.
 * @example
 * const run = runTools(traced({ model, tools, messages }, { agent: "clerk" }));
 */
export function traced<Options extends Traceable>(options: Options, telemetry: TelemetryOptions = {}): Options {
  const run = new RunTrace(telemetry, options.model);
  const { tools = [] } = options;
  const wrap = (list: readonly Tool[]): readonly Tool[] => list.map((tool) => run.tool(tool));
  return {
    ...options,
    model: run.model(options.model),
    tools: typeof tools === "function" ? async () => wrap(await tools()) : wrap(tools),
    onEvent: (event) => {
      run.event(event);
      options.onEvent?.(event);
    },
  };
}

/** A request that is under way. */
interface OpenRequest {
  readonly span: Span;
  readonly sent: number;
  readonly said: Said | undefined;
  firstChunk: boolean;
}

class RunTrace {
  readonly #tracer: Tracer;
  readonly #options: TelemetryOptions;
  readonly #parent: Context = context.active();
  readonly #common: Attributes;
  #run: { readonly span: Span; readonly context: Context } | undefined;
  #request: OpenRequest | undefined;
  readonly #tools: Map<string, Span> = new Map();
  /** Names that the user gave: any other is what the model wrote. */
  readonly #names: Set<string> = new Set();

  constructor(options: TelemetryOptions, model: Model) {
    this.#options = options;
    this.#tracer = (options.tracerProvider ?? trace).getTracer("unbraid") as Tracer;
    this.#common = {
      [ATTRIBUTE.provider]: model.provider,
      [ATTRIBUTE.requestModel]: model.name,
      ...(options.conversation === undefined ? {} : { [ATTRIBUTE.conversationId]: options.conversation }),
    };
  }

  /** The same model, whose requests have spans. */
  model(model: Model): Model {
    const { wire, form, provider, name } = model;
    return { wire, form, provider, name, send: async (request) => this.#send(model, request) };
  }

  /** The same tool, whose executions have spans. */
  tool(tool: Tool): Tool {
    this.#names.add(tool.name);
    const execute = (args: unknown, given: ToolContext): unknown => this.#execute(tool, args, given);
    return new Proxy(tool, {
      get: (target, name) => {
        if (name === "execute") return execute;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** What the run says of itself. */
  event(event: RunEvent): void {
    const { span } = this.#open();
    const request = this.#request;
    switch (event.type) {
      case "response":
        request?.span.setAttributes({
          ...(event.id === undefined ? {} : { [ATTRIBUTE.responseId]: event.id }),
          ...(event.model === undefined ? {} : { [ATTRIBUTE.responseModel]: event.model }),
        });
        break;
      case "usage":
        request?.span.setAttributes(tokens(event.inputTokens, event.outputTokens));
        break;
      case "error":
        request?.span.setAttribute(ATTRIBUTE.errorType, String(event.error.code ?? event.error.status ?? OTHER_ERROR));
        break;
      case "finish":
        this.#finish(event);
        break;
      case "turn.drop":
        span.addEvent(EVENT.dropped, { [ATTRIBUTE.errorType]: String(event.error?.code ?? "unterminated_stream") });
        break;
      case "tool.result":
        this.#result(span, event);
        break;
      case "run.end":
        return this.#close(span, event);
      default:
    }
    if (request === undefined || this.#request !== request || event.type === "turn.start") return;
    this.#firstChunk(request);
    if ("at" in event) request.said?.add(event);
  }

  /** The span of the run, begun with its first event. */
  #open(): { readonly span: Span; readonly context: Context } {
    if (this.#run !== undefined) return this.#run;
    const { agent } = this.#options;
    const span = this.#tracer.startSpan(
      agent === undefined ? OPERATION.invokeAgent : `${OPERATION.invokeAgent} ${agent}`,
      {
        kind: SpanKind.INTERNAL,
        attributes: {
          ...this.#common,
          [ATTRIBUTE.operation]: OPERATION.invokeAgent,
          ...(agent === undefined ? {} : { [ATTRIBUTE.agentName]: agent }),
        },
      },
      this.#parent,
    );
    return (this.#run = { span, context: trace.setSpan(this.#parent, span) });
  }

  #close(span: Span, { reason, usage, error }: RunEndEvent): void {
    this.#endRequest(reason);
    for (const key of this.#tools.keys()) this.#endTool(key, reason);
    span.setAttributes(tokens(usage.inputTokens, usage.outputTokens));
    if (error !== undefined) fail(span, error.name, this.#shown(error.message));
    span.end();
  }

  async #send(model: Model, request: ModelRequest): ReturnType<Model["send"]> {
    this.#endRequest();
    const run = this.#open();
    const operation = model.wire.name === "gemini" ? OPERATION.generateContent : OPERATION.chat;
    const { content } = this.#options;
    const span = this.#tracer.startSpan(
      `${operation} ${model.name}`,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          ...this.#common,
          [ATTRIBUTE.operation]: operation,
          [ATTRIBUTE.requestStream]: true,
          ...(content === true && request.system !== undefined
            ? { [ATTRIBUTE.systemInstructions]: JSON.stringify([{ type: "text", content: request.system }]) }
            : {}),
        },
      },
      run.context,
    );
    const said = content === true ? new Said() : undefined;
    this.#request = { span, said, sent: performance.now(), firstChunk: false };
    try {
      return await context.with(trace.setSpan(run.context, span), () => model.send(request));
    } catch (error) {
      fail(span, errorType(error), error instanceof Error ? this.#shown(error.message) : undefined);
      this.#endRequest();
      throw error;
    }
  }

  /** A server's words may quote what it was sent. */
  #shown(message: string): string | undefined {
    return this.#options.content === true ? message : undefined;
  }

  #firstChunk(request: OpenRequest): void {
    if (request.firstChunk) return;
    request.firstChunk = true;
    request.span.setAttribute(ATTRIBUTE.timeToFirstChunk, (performance.now() - request.sent) / 1_000);
  }

  #finish({ reason }: FinishEvent): void {
    const request = this.#request;
    if (request === undefined) return;
    this.#firstChunk(request);
    const { span, said } = request;
    span.setAttribute(ATTRIBUTE.finishReasons, [reason ?? "unknown"]);
    if (said !== undefined) span.setAttribute(ATTRIBUTE.outputMessages, outputMessages(said, reason));
    if (reason === null) span.setAttribute(ATTRIBUTE.errorType, "unterminated_stream");
    if (reason === "cancelled") span.setAttribute(ATTRIBUTE.errorType, "cancelled");
    if (reason === null || reason === "error" || reason === "cancelled") span.setStatus({ code: SpanStatusCode.ERROR });
    this.#endRequest();
  }

  /** @param unfinished Why it ends without a finish. */
  #endRequest(unfinished?: string): void {
    if (this.#request !== undefined && unfinished !== undefined) fail(this.#request.span, unfinished);
    this.#request?.span.end();
    this.#request = undefined;
  }

  #execute(tool: Tool, args: unknown, given: ToolContext): unknown {
    const { call } = given;
    const run = this.#open();
    const span = this.#tracer.startSpan(
      `${OPERATION.executeTool} ${tool.name}`,
      { kind: SpanKind.INTERNAL, attributes: this.#toolAttributes(tool, call) },
      run.context,
    );
    this.#tools.set(call.key, span);
    return context.with(trace.setSpan(run.context, span), async () => {
      try {
        return await tool.execute(args, given);
      } catch (error) {
        this.#endTool(call.key, errorType(error), span);
        throw error;
      }
    });
  }

  #toolAttributes(tool: Tool, call: ToolCall): Attributes {
    return {
      [ATTRIBUTE.operation]: OPERATION.executeTool,
      [ATTRIBUTE.toolName]: tool.name,
      [ATTRIBUTE.toolCallId]: call.id,
      [ATTRIBUTE.toolType]: "function",
      ...(tool.description === undefined ? {} : { [ATTRIBUTE.toolDescription]: tool.description }),
      ...(this.#options.content === true ? { [ATTRIBUTE.toolArguments]: call.argumentsText } : {}),
    };
  }

  #result(run: Span, { result }: ToolResultEvent): void {
    const { call, content, isError, reason, replayed } = result;
    const span = this.#tools.get(call.key);
    if (span === undefined) {
      const isTold = this.#options.content === true || this.#names.has(call.name);
      const name = isTold ? { [ATTRIBUTE.toolName]: call.name } : {};
      if (replayed === true) run.addEvent(EVENT.replayed, name);
      else if (reason !== undefined) run.addEvent(EVENT.notRun, { ...name, [ATTRIBUTE.errorType]: reason });
      return;
    }
    if (this.#options.content === true) span.setAttribute(ATTRIBUTE.toolResult, JSON.stringify(content));
    this.#endTool(call.key, isError === true ? (reason ?? "tool_error") : undefined);
  }

  /** @param error Why it did not do what it should. */
  #endTool(key: string, error: string | undefined, span: Span | undefined = this.#tools.get(key)): void {
    if (error !== undefined && span !== undefined) fail(span, error);
    span?.end();
    if (this.#tools.get(key) === span) this.#tools.delete(key);
  }
}

function tokens(input: number | undefined, output: number | undefined): Attributes {
  return {
    ...(input === undefined ? {} : { [ATTRIBUTE.inputTokens]: input }),
    ...(output === undefined ? {} : { [ATTRIBUTE.outputTokens]: output }),
  };
}

function fail(span: Span, type: string, message?: string): void {
  span.setAttribute(ATTRIBUTE.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
}

/** The kind of an error: the status or code of a model's, the class of any other. */
function errorType(error: unknown): string {
  if (isModelError(error)) return String(error.status ?? error.code);
  return error instanceof Error ? error.name : OTHER_ERROR;
}
