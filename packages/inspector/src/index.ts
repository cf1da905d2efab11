// The public surface of `@unbraid/inspector`: the page's server. The analysis that the command shares is an entry of its own.

export { createInspector, type Inspector, type InspectorOptions, type LiveResponse } from "./server/inspector.ts";
export type { RecordedResponse, ResponseDescription, TimedBytes } from "./server/entry.ts";
