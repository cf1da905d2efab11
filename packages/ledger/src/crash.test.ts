// Workers that are killed on the way, a few for each durable ledger; a hundred in the long version.

import { crashTests } from "./crash.test-suite.ts";

await crashTests(3, 60_000);
