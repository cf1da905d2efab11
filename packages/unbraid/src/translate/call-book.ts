// The calls of a history and the results that answer them. Owns the making of calls from what a client sends back, and which
// call a result is of.

import type { CallKind, ToolCall } from "../events.ts";
import { originalIdentifier } from "../encode/identifiers.ts";
import { INVALID_ARGUMENTS } from "../turns/echoed-call.ts";
import { tooDeep } from "../wire-values.ts";
import { RequestError } from "./request-error.ts";

/** A call as a client sends it back. */
export interface SentCall {
  /** Absent where the vendor's calls have none. */
  readonly id: string | undefined;
  readonly name: string;
  readonly kind: CallKind;
  readonly text: string;
}

/** The calls of one history. */
export class CallBook {
  readonly #byId: Map<string, ToolCall> = new Map();
  /** Calls that no result has answered, in order. */
  readonly #open: ToolCall[] = [];
  #count = 0;

  /** Takes a call. An id or a name that had been spelled otherwise for this client gets its own spelling back. */
  add({ id, name, kind, text }: SentCall): ToolCall {
    const index = this.#count++;
    const known = id === undefined || id === "" ? undefined : originalIdentifier(id);
    const call = callOf({
      key: `call-${index}`,
      id: known ?? `call_${index}`,
      name: originalIdentifier(name),
      kind,
      choice: 0,
      index,
      ...(known === undefined ? { madeId: true as const } : {}),
      text,
    });
    // Some servers count their ids anew in every turn: the newest call counts.
    this.#byId.set(call.id, call);
    this.#open.push(call);
    return call;
  }

  /**
   * The call that a result quotes.
   *
   * @throws RequestError where the history holds none: every vendor would refuse it.
   */
  answer(id: string, path: string): ToolCall {
    const call = this.#byId.get(originalIdentifier(id));
    if (call === undefined)
      throw new RequestError(
        "unpaired",
        path,
        `answers the call "${id.slice(0, 100)}", which the history does not hold`,
      );
    return this.#close(call, path);
  }

  /** The first call of that name without a result: for vendors whose calls have no ids. */
  answerByName(name: string, path: string): ToolCall {
    const original = originalIdentifier(name);
    const call = this.#open.find((each) => each.name === original);
    if (call === undefined)
      throw new RequestError(
        "unpaired",
        path,
        `answers a call of "${name.slice(0, 100)}", and no such call waits for a result`,
      );
    return this.#close(call, path);
  }

  /** Two results for one call are refused by every vendor. */
  #close(call: ToolCall, path: string): ToolCall {
    const at = this.#open.indexOf(call);
    if (at === -1)
      throw new RequestError("unpaired", path, `answers the call "${call.id.slice(0, 100)}" a second time`);
    this.#open.splice(at, 1);
    return call;
  }
}

function callOf({
  text,
  ...identity
}: Omit<ToolCall, "status" | "argumentsText" | "arguments"> & { readonly text: string }): ToolCall {
  if (identity.kind === "custom") return { ...identity, status: "complete", argumentsText: text, arguments: null };
  const argumentsText = text.trim() === "" ? "{}" : text;
  const value = objectIn(argumentsText);
  // What had been wrapped for a client whose vendor carries objects is what the model wrote.
  const wrapped = value === undefined ? undefined : wrappedIn(value);
  if (value !== undefined && wrapped === undefined)
    return { ...identity, status: "complete", argumentsText, arguments: value };
  return {
    ...identity,
    status: "malformed",
    argumentsText: wrapped ?? argumentsText,
    arguments: null,
    problem: { code: "invalid-json", message: "The arguments are no JSON object." },
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !tooDeep(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function wrappedIn(value: Readonly<Record<string, unknown>>): string | undefined {
  const text = value[INVALID_ARGUMENTS];
  // Behind a beginning that had been sent, its keys are there too, and say nothing.
  const alone = Object.entries(value).every(([name, each]) => name === INVALID_ARGUMENTS || each === null);
  return typeof text === "string" && alone ? text : undefined;
}
