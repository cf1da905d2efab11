// The cases and recordings, written for every wire in every way and read back.

import { checkEncoded } from "./encoded.test-checks.ts";

checkEncoded(true);
