// A worker that does the task over a ledger in a file, and kills itself at an event that it was told, as a crash would.
// Arguments: the ledger's file, the effects' file, the event's number (0: none). Sends what the run came to.

import { sqliteLedger } from "@unbraid/ledger/sqlite";
import { takeUp } from "./resume.test-kit.ts";

const [, , path = "", effects = "", at = "0"] = process.argv;
const ledger = sqliteLedger({ path });
let count = 0;
const run = takeUp({
  ledger,
  effects,
  onEvent: () => {
    count += 1;
    if (count === Number(at)) process.kill(process.pid, "SIGKILL");
  },
});
const { reason, turns, text, messages } = await run.done;
await ledger.close();
process.send?.({ reason, turns, text, messages });
