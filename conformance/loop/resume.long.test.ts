// Taking up a run, at every place.

import { resumeSuite } from "./resume.test-suite.ts";

resumeSuite({ abortEvery: 1 });
