// Random text with pieces of markup in it.

import { checkProperties } from "./property.test-checks.ts";

checkProperties(500);
