// The cases and recordings, written for other wires and read back.

import { checkEncoded } from "./encoded.test-checks.ts";

checkEncoded(false);
