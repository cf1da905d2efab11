// Generated responses through every wire and back, many more of them.

import { checkProperties } from "./property.test-checks.ts";

checkProperties(5_000);
