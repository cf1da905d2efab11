// Workers that are killed on the way, a hundred for each durable ledger.

import { crashTests } from "./crash.test-suite.ts";

await crashTests(100, 600_000);
