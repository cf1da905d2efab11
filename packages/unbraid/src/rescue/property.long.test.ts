// Random text with pieces of markup in it, a hundred times as much.

import { checkProperties } from "./property.test-checks.ts";

checkProperties(50_000);
