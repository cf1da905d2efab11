// The door of the framing room: bytes of one body in, frames out. Owns the list of what others may use.

export { awsEventStream } from "./aws-event-stream.ts";
export { createFramer, detectFraming } from "./auto.ts";
export { DEFAULT_MAX_FRAME_BYTES } from "./frame.ts";
export type {
  EmitFrame,
  ExtraFraming,
  Frame,
  FrameFault,
  FrameFaultCode,
  Framer,
  FramingName,
  FramingOptions,
  MakeFramer,
} from "./frame.ts";
export { isDisguisedComment, splitGlued } from "./glued.ts";
