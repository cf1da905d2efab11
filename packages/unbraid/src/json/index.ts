// The door of the json room: JSON that arrives in fragments. Checks it, builds its value as it grows, says where it is
// wrong, and offers the one reading of a malformed object. Knows no vendor, no call and no event.

export { exactNumber, type JsonNumberSource } from "./exact-number.ts";
export type { JsonFault, JsonFaultCode } from "./fault.ts";
export type { JsonFollowInfo, JsonFollowListener } from "./follow.ts";
export { parseJson, type ParseJsonOptions, type ParseJsonResult } from "./parse.ts";
export { repairArguments, type ArgumentRepair, type RepairOptions } from "./repair.ts";
export type { RepairCode } from "./rewrite.ts";
export { JsonScanner, type JsonKind, type JsonScannerOptions, type JsonTextState } from "./scanner.ts";
export { JsonValueBuilder, type JsonValueOptions } from "./value.ts";
