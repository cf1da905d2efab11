// `unbraid formats`: which wires and which forms of calls in text can be read. Owns the listing; the tables are the
// library's.

import type { Command } from "commander";
import { wires } from "unbraid";
import { rescueForms } from "unbraid/rescue";
import { EXIT } from "../failure.ts";
import type { Io } from "../io.ts";
import { jsonLine } from "../report/json-line.ts";
import { wrap } from "../terminal/fit.ts";
import { addColourFlags, pageOf, type SharedFlags } from "./options.ts";

/** What else a wire comes in than the framing that its vendor documents first. */
const VARIANTS: Readonly<Record<string, string>> = {
  "openai-chat": "and its dialects; whole bodies, JSON lines",
  "openai-responses": "whole bodies, WebSocket sessions as JSON lines",
  "openai-realtime": "a WebSocket session, one JSON message a line",
  anthropic: "and its compatible endpoints; whole bodies",
  gemini: "SSE, a JSON array, Live sessions, Interactions",
  bedrock: "ConverseStream and InvokeModel: AWS frames, JSON lines",
  cohere: "v2 chat",
  mistral: "chat and Conversations",
  ollama: "the native /api/chat",
  text: "a model's raw output: the whole body is one text",
};

/** Declares the command. */
export function declareFormats(program: Command, io: Io, run: (action: () => Promise<number>) => Promise<void>): void {
  const command = program
    .command("formats")
    .helpOption("-h, --help", "this page")
    .summary("which wires and forms can be read")
    .description("List the wires with their framing, and the forms in which calls left in the text are recovered.")
    .option("--json", "one JSON document: { wires, forms }");
  addColourFlags(command)
    .addHelpText("after", "\nExamples:\n  unbraid formats\n  unbraid formats --json | jq '.forms[].name'")
    .action((flags: SharedFlags) => run(() => formats(flags, io)));
}

async function formats(flags: SharedFlags, io: Io): Promise<number> {
  const list = Object.values(wires).map(({ name, framing }) => ({ name, framing, variants: VARIANTS[name] ?? "" }));
  if (flags.json === true) {
    await io.stdout.write(`${jsonLine({ wires: list, forms: rescueForms })}\n`);
    return EXIT.ok;
  }
  const { columns, style } = pageOf(io, flags);
  const width = columns();
  const lines = [style.bold("Wires"), ""];
  for (const { name, framing, variants } of list) {
    lines.push(...entry(`  ${name.padEnd(18)}${framing.padEnd(18)}`, variants, width));
  }
  lines.push("", style.bold("Calls left in the text (with --tools)"), "");
  for (const { name, models } of rescueForms) lines.push(...entry(`  ${name.padEnd(18)}`, models, width));
  await io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.ok;
}

/** A text behind its lead, wrapped under itself. */
function entry(lead: string, text: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, Math.max(20, width - lead.length));
  return [lead + first, ...rest.map((line) => " ".repeat(lead.length) + line)];
}
