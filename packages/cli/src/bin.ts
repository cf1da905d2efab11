#!/usr/bin/env node
// The executable. Owns nothing but the way from the process to main().

import { main } from "./main.ts";
import { nodeIo } from "./node-io.ts";

const io = nodeIo();
process.exitCode = await main(process.argv.slice(2), io);
io.release();
