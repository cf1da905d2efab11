// What one vendor's reader costs a web page: a strict one, each protocol entry bundled alone, and one of them with the parts that it
// can be given. The goal for one vendor's reader is 15 kB: the strict ones of Chat Completions, Anthropic, Cohere and Ollama keep
// it. The other limits, just above what is, keep the sizes from growing.
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
  openaiResponses: 15.8,
  anthropic: 15,
  gemini: 16.4,
  bedrock: 18.3,
  cohere: 14.5,
  mistral: 15.7,
  ollama: 14.1,
};

/** Entries of one wire, without parts, in kB. */
const bare = {
  "openai-chat": 25.4,
  "openai-responses": 27.8,
  "openai-realtime": 28.5,
  anthropic: 25.7,
  gemini: 28.8,
  bedrock: 28.7,
  cohere: 25,
  mistral: 26.2,
  ollama: 24.1,
  text: 23.6,
};

/** Parts, with the reader of Chat Completions. */
const withParts = {
  liveValues: 27.9,
  repair: 26.7,
  fastPath: 31,
  "liveValues, repair, fastPath": 35.7,
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
