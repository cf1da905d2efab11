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
  "openai-chat": 24.3,
  "openai-responses": 27.8,
  "openai-realtime": 28.4,
  anthropic: 24.7,
  gemini: 28.7,
  bedrock: 28.1,
  cohere: 23.9,
  mistral: 25.4,
  ollama: 23,
  text: 22.5,
};

/** Parts, with the reader of Chat Completions. */
const withParts = {
  liveValues: 26.8,
  repair: 25.6,
  fastPath: 30,
  jsonBodies: 24.7,
  "liveValues, repair, fastPath, jsonBodies": 35.6,
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
