// Which names bodies are kept under. Owns the endings, for every command that looks through folders.

/** Endings of bodies. */
export const BODY: RegExp = /\.(sse|ndjson|eventstream|bin|body|stream|raw)(\.(gz|zst))?$/i;

/** Endings of files that may be bodies or logs of bodies: what is in them tells. */
export const PERHAPS: RegExp = /\.(json|jsonl|log|txt)(\.(gz|zst))?$/i;
