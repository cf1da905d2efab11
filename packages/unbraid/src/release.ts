// Memory that is given back at once. Owns the one call that does it; imports nothing, so that every room may use it.

/** Bytes from which on it is worth the call: less is the collector's. */
const MUCH = 64 * 1024;

/**
 * Gives a buffer's memory back without waiting for the garbage collector, which is in no hurry: a body of 10 MB would be held
 * several times over. Where the engine has no `transfer` (ES2024) the collector does it.
 *
 * @param view All of a buffer that nobody else has a view of; not to be used afterwards.
 */
export function release(view: Uint8Array | Int32Array): void {
  if (view.byteLength >= MUCH) (view.buffer as { transfer?: (length: number) => unknown }).transfer?.(0);
}
