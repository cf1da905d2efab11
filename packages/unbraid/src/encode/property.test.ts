// Generated responses through every wire and back.

import { checkProperties } from "./property.test-checks.ts";

checkProperties(120);
