// The entry `unbraid/ledger`: the ledger in memory, and what a ledger over a store of your own is made of.

export type {
  Claim,
  ClaimOutcome,
  ClaimRequest,
  Ledger,
  LedgerKey,
  RecordedResult,
  TurnRecord,
} from "../harness/ledger.ts";
export type * from "../events.ts";
export type { ContentPart, FilePart, ImagePart, TextPart } from "../turns/content.ts";
export { isLedgerError, LedgerError, type LedgerErrorCode } from "../harness/ledger-error.ts";
export { type LedgerLimits, LedgerValues, type TurnText } from "../harness/ledger-values.ts";
export { memoryLedger, type MemoryLedgerOptions } from "../harness/memory-ledger.ts";
