// Taking up a run, at some of the places: among them one where a call was claimed and had not been recorded.

import { resumeSuite } from "./resume.test-suite.ts";

resumeSuite({ abortEvery: 4, killAt: [14] });
