// What every entry that reads exports beside its wires: the events, the face of its readers, the folding of what they say.

export { collect, type Collected, Collector, runnable } from "./collect.ts";
export type * from "./events.ts";
export type { EventStream, ReadOptions } from "./read.ts";
export type { Reader, ReaderOptions } from "./reader.ts";
export type { Source } from "./sources.ts";
export type { Wire } from "./wire.ts";
