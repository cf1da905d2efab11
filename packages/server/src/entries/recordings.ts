// Recordings alone: nothing that listens. For programs that only read them.

export { type Arrival, parseTimes, RECORDING_FORMAT, type RecordedExchange } from "../record/format.ts";
export {
  exchangeBeside,
  listRecordings,
  pieces,
  type RecordedPiece,
  readPieces,
  type StoredRecording,
  timesBeside,
} from "../record/recordings.ts";
