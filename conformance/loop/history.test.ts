// The history of a stopped run, at some of the places.

import { historySuite } from "./history.test-suite.ts";

historySuite(7);
