// One of several processes that claim the same calls in one file: `PATH COUNT`. Sends the calls that were its own to run.

import { sqliteLedger } from "@unbraid/ledger/sqlite";

const [path = "", count = ""] = process.argv.slice(2);
const ledger = sqliteLedger({ path });
const mine: string[] = [];
for (let index = 0; index < Number(count); index += 1) {
  const key = { run: "race", turn: 0, call: `call ${index}` };
  const worker = String(process.pid);
  const outcome = await ledger.claim({ key, tool: "t", argumentsHash: "h", worker, leaseMs: 60_000, takeOver: true });
  if (outcome.state !== "claimed") continue;
  mine.push(key.call);
  await ledger.record(outcome.claim, { content: [] });
}
await ledger.close();
process.send?.(mine);
process.disconnect();
