// Errors inside a stream, in the spellings that servers use for them. Owns those spellings for the OpenAI-like wires and
// for bodies that are an error and no stream at all.

import type { Sink } from "../assembly/sink.ts";
import { fields, stringOf, type Fields } from "./fields.ts";

/**
 * Reports the error that a frame carries, if it does: `{error: {…}}`, `{error: "…"}`, `{type: "error", …}`,
 * `{detail: "…"}` (FastAPI), `{message, code}` alone.
 *
 * @param frame The frame.
 * @param sink Takes the error.
 * @returns True where there was one.
 */
export function reportError(frame: Fields, sink: Sink): boolean {
  const given = frame["error"];
  const error: unknown = Array.isArray(given) ? given[0] : given;
  // vLLM: {"object":"error","message":…,"code":404}
  if (frame["object"] === "error" && error === undefined) return reportBareError(frame, sink);
  const nested = fields(error);
  if (nested !== undefined) {
    // Anthropic and the Responses error event nest once more: {"type":"error","error":{"type":…,"message":…}}
    sink.error(nested["code"] ?? nested["status"] ?? nested["type"], messageOf(nested), nested);
    return true;
  }
  if (typeof error === "string" && error !== "") {
    sink.error(frame["code"] ?? frame["status"], error, frame);
    return true;
  }
  return false;
}

/**
 * Reports a frame that has none of its wire's fields and looks like an error body.
 *
 * @returns True where it does.
 */
export function reportBareError(frame: Fields, sink: Sink): boolean {
  const message = stringOf(frame["message"]) || stringOf(frame["detail"]) || stringOf(frame["error_description"]);
  const detail = message === "" && frame["detail"] !== undefined ? jsonOf(frame["detail"]) : message;
  if (detail === "") return false;
  sink.error(frame["code"] ?? frame["status"] ?? frame["type"], detail, frame);
  return true;
}

/** FastAPI's `detail` may be a list of problems. */
function jsonOf(detail: unknown): string {
  try {
    return JSON.stringify(detail).slice(0, 2000);
  } catch {
    return "An error with details that are nested too deep.";
  }
}

function messageOf(error: Fields): string {
  const message = stringOf(error["message"]) || stringOf(error["detail"]);
  // OpenRouter puts the provider's own words into metadata.raw.
  return message || stringOf(fields(error["metadata"])?.["raw"]) || stringOf(error["type"]);
}
