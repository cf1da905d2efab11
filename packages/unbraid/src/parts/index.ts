// The entry `unbraid/parts`: what a reader can do without, for those who bundle one wire and want it all the same.

export { fastPath, type FastPathPart } from "./fast-path.ts";
export type { EmitFrame, Frame, FrameFault, FrameFaultCode, Framer, FramingName } from "../framing/frame.ts";
export type { Restated } from "../framing/restated-event.ts";
export type { Skim } from "../framing/skimmed-sse.ts";
export {
  type FieldInfo,
  type FieldListener,
  type GivenText,
  type LiveValues,
  liveValues,
  type LiveValuesPart,
} from "./live-values.ts";
export { repair, type RepairPart } from "./repair.ts";
