// What answers each kind of call on OpenAI Responses. Owns the item types of results and media in them.

import { addressOf, isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { flagged, mediaHead } from "./result-words.ts";
import type { CallResult } from "./turn-form.ts";

type Item = Readonly<Record<string, unknown>>;

/**
 * The items of results, each behind the one before; what an item of the vendor's own tools cannot say follows them in a
 * message of the user's.
 *
 * @param isOwnItem Whether a call went back as the item that it came in.
 */
export function resultItems(
  results: readonly CallResult[],
  isOwnItem: (call: CallResult["call"]) => boolean,
): readonly Item[] {
  const outputs = results.map((result) => (isOwnItem(result.call) ? ownOutput(result) : callOutput(result)));
  const beside = outputs.flatMap(({ aside }) => aside ?? []);
  return [
    ...outputs.map(({ item }) => item),
    ...(beside.length === 0 ? [] : [{ type: "message", role: "user", content: beside }]),
  ];
}

interface Output {
  readonly item: Item;
  /** Content that the item cannot hold. */
  readonly aside?: readonly Item[];
}

function callOutput({ call, content, isError }: CallResult): Output {
  const caller = call.kind === "function" || call.kind === "custom" ? call.echo?.["caller"] : undefined;
  return {
    item: {
      type: call.kind === "custom" ? "custom_tool_call_output" : "function_call_output",
      call_id: call.id,
      output: content.some(isMedia) ? partsOf(flaggedParts(content, isError)) : flagged(textOf(content), isError),
      ...(caller === undefined ? {} : { caller }),
    },
  };
}

/** The first text says that it is an error, where there is no flag that does. */
function flaggedParts(content: readonly ContentPart[], isError: true | undefined): readonly ContentPart[] {
  if (isError !== true) return content;
  return [{ type: "text", text: "Error:" }, ...content];
}

/** Answers an item of the vendor's own tools. */
function ownOutput(result: CallResult): Output {
  const { call, content, isError } = result;
  const item = call.echo?.["item"] as Item;
  const text = textOf(content);
  const caller = item["caller"] === undefined || item["caller"] === null ? {} : { caller: item["caller"] };
  switch (item["type"]) {
    case "mcp_approval_request":
      return { item: approval(result, text) };
    case "local_shell_call":
      // The SDK's types name the item's id here, and no `call_id`.
      return { item: { type: "local_shell_call_output", id: item["id"], output: flagged(text, isError) } };
    case "shell_call": {
      const outcome = { type: "exit", exit_code: isError === true ? 1 : 0 };
      const output = isError === true ? { stdout: "", stderr: text, outcome } : { stdout: text, stderr: "", outcome };
      return { item: { type: "shell_call_output", call_id: call.id, output: [output], ...caller } };
    }
    case "apply_patch_call": {
      const status = isError === true ? "failed" : "completed";
      return { item: { type: "apply_patch_call_output", call_id: call.id, status, output: text, ...caller } };
    }
    case "computer_call":
      return screenshot(result, item);
    case "tool_search_call":
      return foundTools(result);
    default:
      return callOutput(result);
  }
}

/** Only a plain yes lets the vendor run the call. */
function approval({ call, approve }: CallResult, text: string): Item {
  const asked = { type: "mcp_approval_response", approval_request_id: call.id };
  return approve === true ? { ...asked, approve: true } : { ...asked, approve: false, reason: text };
}

/** One transparent pixel, where a screenshot must be given and there is none. */
const NO_SCREENSHOT =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/**
 * A computer's answer is a screenshot and nothing else; words follow in a message. Safety checks are acknowledged only
 * where the result says that somebody approved.
 */
function screenshot({ call, content, isError, approve }: CallResult, item: Item): Output {
  const images = content.filter(isMedia).flatMap((part) => (part.type === "image" ? (addressOf(part) ?? []) : []));
  const words = content.some((part) => !isMedia(part)) || images.length === 0;
  const checks = Array.isArray(item["pending_safety_checks"]) ? (item["pending_safety_checks"] as unknown[]) : [];
  return {
    item: {
      type: "computer_call_output",
      call_id: call.id,
      output: { type: "computer_screenshot", image_url: images[0] ?? NO_SCREENSHOT },
      ...(approve === true && checks.length > 0 ? { acknowledged_safety_checks: checks } : {}),
    },
    ...(words ? { aside: besideText(call, flagged(textOf(content.filter((part) => !isMedia(part))), isError)) } : {}),
  };
}

/** The tools that a search of the client's found: the result's text is their JSON list. Words follow in a message. */
function foundTools({ call, content, isError }: CallResult): Output {
  const text = textOf(content);
  const tools = isError === true ? undefined : listIn(text);
  const item = {
    type: "tool_search_output",
    call_id: call.id,
    execution: "client",
    status: "completed",
    tools: tools ?? [],
  };
  return tools === undefined ? { item, aside: besideText(call, flagged(text, isError)) } : { item };
}

function listIn(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as readonly unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function besideText(call: CallResult["call"], text: string): readonly Item[] {
  return [{ type: "input_text", text: `${mediaHead(call)} ${text}` }];
}

function partsOf(content: readonly ContentPart[]): readonly Item[] {
  return content.map((part) => (isMedia(part) ? mediaPart(part) : { type: "input_text", text: wellFormed(part.text) }));
}

/** Content of a message of the user's. */
export function userContent(content: readonly ContentPart[]): string | readonly Item[] {
  return content.some(isMedia) ? partsOf(content) : textOf(content);
}

function mediaPart(part: MediaPart): Item {
  const url = addressOf(part);
  if (url === undefined) return { type: "input_text", text: leftOut(part) };
  if (part.type === "image") return { type: "input_image", image_url: url, detail: "auto" };
  const filename = part.name === undefined ? {} : { filename: part.name };
  return part.data === undefined
    ? { type: "input_file", file_url: url }
    : { type: "input_file", file_data: url, ...(part.name === undefined ? { filename: "file" } : filename) };
}
