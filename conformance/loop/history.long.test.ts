// The history of a stopped run, at every place.

import { historySuite } from "./history.test-suite.ts";

historySuite(1);
