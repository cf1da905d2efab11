// The entry `unbraid/telemetry`: spans for a run. The only one that needs `@opentelemetry/api`.

export { traced, type TelemetryOptions, type Traceable } from "./traced.ts";
export type { Model } from "../harness/model.ts";
export type { RunEvent } from "../harness/run-events.ts";
export type { Tool } from "../harness/tool.ts";
