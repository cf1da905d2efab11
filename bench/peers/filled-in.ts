// Responses bodies with the fields that the vendor always sends and ours leave away, because they are beside the point:
// `created_at`, `model` and `usage` of a response, `status` of an item that is done. One reader checks each frame against a
// schema and would fail for their absence alone, which would tell nothing. Everything else keeps its bytes, and all
// readers are served the same. Owns that filling in.

import type { Wire } from "./peer.ts";

const RESPONSE = ['"created_at":1795000000', '"model":"any"'];
const USAGE = '"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}';

/** The body as it is served. */
export function filledIn(bytes: Buffer, wire: Wire): Buffer {
  if (wire !== "openai-responses") return bytes;
  // Latin-1 keeps each byte as it is, whatever the body holds.
  return Buffer.from(bytes.toString("latin1").split("\n").map(line).join("\n"), "latin1");
}

function line(text: string): string {
  const [, type] =
    /"type":"response\.(created|in_progress|completed|incomplete|failed|output_item\.done)"/.exec(text) ?? [];
  switch (type) {
    case undefined:
      return text;
    case "output_item.done":
      return text.includes('"item":{"type":"function_call"')
        ? withFields(text, "item", ['"status":"completed"'])
        : text;
    case "completed":
    case "incomplete":
      return withFields(text, "response", [...RESPONSE, USAGE]);
    default:
      return withFields(text, "response", RESPONSE);
  }
}

/** Puts fields that the line does not have at the head of one of its objects. */
function withFields(text: string, object: string, fields: readonly string[]): string {
  const missing = fields.filter((field) => !text.includes(field.slice(0, field.indexOf(":") + 1)));
  return text.replace(`"${object}":{`, `"${object}":{${missing.map((field) => `${field},`).join("")}`);
}
