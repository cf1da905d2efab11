// The door of the rescue room: tool calls that a server left in the text or the reasoning, recovered as they stream.

export { rescue, type RescueSettings, type RescueStage } from "./stage.ts";
export { rescueForms, type RescueForm } from "./list.ts";
