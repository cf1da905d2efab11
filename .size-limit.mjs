// What one vendor's reader costs a web page: a strict one, each protocol entry bundled alone, and one of them with the parts that it
// can be given. The goal for one vendor's reader is 15 kB: strict readers of one wire keep it, those of a wire that carries others
// inside (Bedrock) do not. The other limits, just above what is, keep the size from growing.
import { entries } from "./scripts/packages.mjs";

/**
 * What is bundled of an entry.
 *
 * @param {string} name
 */
function built(name) {
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) throw new Error(`there is no entry ${name}`);
  return entry.built;
}

/** Strict readers, in kB. */
const strict = {
  openaiChat: 15,
  openaiResponses: 15.6,
  anthropic: 15,
  gemini: 16.3,
  bedrock: 18.4,
  cohere: 14.5,
  mistral: 15.8,
  ollama: 14.1,
};

/** Entries of one wire, without parts, in kB. */
const bare = {
  "openai-chat": 25.8,
  "openai-responses": 28.2,
  "openai-realtime": 28.9,
  anthropic: 26.1,
  gemini: 29.2,
  bedrock: 29.5,
  cohere: 25.4,
  mistral: 26.9,
  ollama: 24.4,
  text: 24,
};

/** Parts, with the reader of Chat Completions. */
const withParts = {
  liveValues: 28.2,
  repair: 27.1,
  fastPath: 31.3,
  "liveValues, repair, fastPath": 36,
};

const chat = built("unbraid/protocols/openai-chat");

export default [
  ...Object.entries(strict).map(([wire, kB]) => ({
    name: `unbraid/strict ${wire}`,
    path: built("unbraid/strict"),
    import: `{ ${wire} }`,
    limit: `${kB} kB`,
    gzip: true,
  })),
  ...Object.entries(bare).map(([wire, kB]) => ({
    name: `unbraid/protocols/${wire}`,
    path: built(`unbraid/protocols/${wire}`),
    limit: `${kB} kB`,
    gzip: true,
  })),
  ...Object.entries(withParts).map(([parts, kB]) => ({
    name: `unbraid/protocols/openai-chat with ${parts}`,
    path: chat,
    import: { [chat]: "{ openaiChat }", [built("unbraid/parts")]: `{ ${parts} }` },
    limit: `${kB} kB`,
    gzip: true,
  })),
];
