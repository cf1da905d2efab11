// npm run demo
//
// From a fresh clone to the main job in one command: installs, builds, and runs `unbraid demo`.

import { prepareAndBuild } from "./build.mjs";
import { run } from "./toolchain.mjs";

const env = await prepareAndBuild();
const args = ["packages/cli/dist/bin.js", "demo", ...process.argv.slice(2)];
process.exitCode = (await run("node", args, { env, show: true })).status;
