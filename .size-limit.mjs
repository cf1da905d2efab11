// What one vendor's reader costs a web page: each protocol entry bundled alone, and one of them with the parts that it can be
// given. The goal is 15 kB without parts. It is not reached, and these limits, just above what is, keep the size from growing.
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

/** Entries of one wire, without parts, in kB. */
const bare = {
  "openai-chat": 25.5,
  "openai-responses": 27.9,
  "openai-realtime": 28.6,
  anthropic: 25.8,
  gemini: 28.9,
  bedrock: 29.2,
  cohere: 25.1,
  mistral: 26.6,
  ollama: 24.1,
  text: 23.7,
};

/** Parts, with the reader of Chat Completions. */
const withParts = {
  liveValues: 27.9,
  repair: 26.8,
  fastPath: 31,
  "liveValues, repair, fastPath": 35.7,
};

const chat = built("unbraid/protocols/openai-chat");

export default [
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
