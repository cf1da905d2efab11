// The public surface of `unbraid`, by name, nothing else.

export * from "./one-wire.ts";
export type { FieldInfo, FieldListener } from "./parts/live-values.ts";
export type { FramingName } from "./framing/frame.ts";
export { DEFAULT_LIMITS, type Limits } from "./assembly/limits.ts";
export type { DeclaredTool } from "./assembly/declared-tools.ts";
export { createReader, read, wires, type AnyReadOptions, type AnyReaderOptions } from "./any-wire.ts";
export type { ProtocolName } from "./protocols/protocol.ts";
