// node scripts/with-node.mjs COMMAND [ARGUMENT...]
//
// Runs a command of the dependencies, or `node` itself, with Node and the dependencies made ready.

import { fail, prepare, run } from "./toolchain.mjs";

const [command, ...args] = process.argv.slice(2);
if (command === undefined) fail("usage: node scripts/with-node.mjs COMMAND [ARGUMENT...]");
const env = await prepare();
process.exitCode = (await run(command, args, { env, show: true })).status;
