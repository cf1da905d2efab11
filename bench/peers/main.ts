// node bench/peers/main.ts score|bench [OPTION...]
//
// Says what to do where the peers are not installed; otherwise runs one of the two. Their options stand at their heads.

import { existsSync } from "node:fs";

const [what] = process.argv.splice(2, 1);
if (!existsSync(new URL("node_modules", import.meta.url))) {
  console.error("What is compared is not installed: run `npm run peers` first.");
  process.exitCode = 1;
} else if (what === "score") {
  await import("./score.ts");
} else {
  await import("./bench.ts");
}
