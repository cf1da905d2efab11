// npm run bench:proxy [-- --quick] [--write]
//
// One proxy process, the built command, between a server of streams and this client, each a process. Prints, and fails where a
// promise does not hold: 1,000 streams at once, none lost and none mixed up; memory flat over 20,000 streams; the delay that the
// proxy adds to a fragment, with 100 streams at once, below a millisecond at the median. `--write` writes the figures into
// docs/guide/proxy.md.

import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { markdown } from "../page.ts";
import { put } from "./page.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
});

const AT_ONCE = 1000;
const MANY = values.quick ? 4000 : 20_000;
const FEW = 100;

const path = (name: string): string => new URL(name, import.meta.url).pathname;

interface Servers {
  readonly direct: string;
  readonly proxied: string;
  readonly proxy: ChildProcess;
  stop(): void;
}

async function start(): Promise<Servers> {
  const upstream = fork(path("upstream.ts"));
  const [{ port }] = (await once(upstream, "message")) as [{ port: number }];
  const direct = `http://127.0.0.1:${port}`;
  const bin = path("../../packages/cli/dist/bin.js");
  const proxy = spawn(process.execPath, [bin, "proxy", "--upstream", direct, "--port", "0", "--no-log"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [greeting] = (await once(proxy.stderr, "data")) as [Buffer];
  const proxied = /base URL (\S+)/.exec(greeting.toString())?.[1] ?? "";
  return {
    direct,
    proxied,
    proxy,
    stop() {
      proxy.kill("SIGTERM");
      upstream.disconnect();
    },
  };
}

/** Resident memory of a process, in MiB. */
function memory(pid: number | undefined): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

interface Seen {
  readonly right: boolean;
  /** Milliseconds from the server's write to here, a fragment each. */
  readonly delays: readonly number[];
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const BODY = JSON.stringify({ model: "load", stream: true, messages: [{ role: "user", content: "?" }] });

/** Reads one stream as a client does that takes every frame at its word. */
function read(base: string, number: number, pause: number): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${base}/v1/chat/completions?n=${number}&pause=${pause}`,
      { method: "POST", agent, headers: { "content-type": "application/json" } },
      (response) => {
        const delays: number[] = [];
        let rest = "";
        let id = "";
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          const now = process.hrtime.bigint();
          rest += chunk;
          const frames = rest.split("\n\n");
          rest = frames.pop() ?? "";
          for (const each of frames) {
            if (!each.startsWith("data: {")) continue;
            const { choices, sent } = JSON.parse(each.slice(6)) as {
              choices: { delta: { tool_calls?: { index: number; id?: string; function: { arguments: string } }[] } }[];
              sent?: string;
            };
            if (sent !== undefined) delays.push(Number(now - BigInt(sent)) / 1e6);
            for (const entry of choices[0]?.delta.tool_calls ?? []) {
              if (entry.index !== 0) text += "?";
              id ||= entry.id ?? "";
              text += entry.function.arguments;
            }
          }
        });
        response.on("end", () => {
          const own = /^\{"n":"((?:\d+\.)*)"\}$/.exec(text)?.[1]?.split(".").slice(0, -1) ?? [];
          const right = id === `call_${number}` && own.length === 39 && own.every((each) => each === String(number));
          resolve({ right, delays });
        });
        response.on("error", reject);
      },
    );
    asked.on("error", reject);
    asked.end(BODY);
  });
}

/** Runs streams, so many at once. */
async function run(
  base: string,
  count: number,
  atOnce: number,
  pause: number,
  each?: (done: number) => void,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      seen.push(await read(base, number, pause).catch((): Seen => ({ right: false, delays: [] })));
      each?.(seen.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return seen;
}

function quantile(list: readonly number[], at: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}

const delaysOf = (seen: readonly Seen[]): number[] => seen.flatMap(({ delays }) => delays);
const shown = (ms: number): string => `${ms.toFixed(2)} ms`;
let failed = false;

function promise(holds: boolean, words: string): void {
  console.log(`${holds ? "holds" : "FAILS"}  ${words}`);
  failed ||= !holds;
}

const servers = await start();
const machine = `${cpus().length} cores, Node ${process.version}`;
console.log(`${machine}\n`);

// Both ways in turn, so that what else the machine does falls on both.
await run(servers.proxied, FEW, FEW, 20);
const direct: Seen[][] = [];
const proxied: Seen[][] = [];
for (let round = 0; round < (values.quick ? 2 : 5); round++) {
  direct.push(await run(servers.direct, FEW, FEW, 50));
  proxied.push(await run(servers.proxied, FEW, FEW, 50));
}
/** Of the round that was disturbed least: what else the machine does only ever adds. */
const least = (rounds: readonly (readonly Seen[])[], at: number): number =>
  Math.min(...rounds.map((round) => quantile(delaysOf(round), at)));
const [d50, p50, d99, p99] = [least(direct, 0.5), least(proxied, 0.5), least(direct, 0.99), least(proxied, 0.99)];
console.log(`delay of a fragment, ${FEW} streams at once   median       99 of 100`);
console.log(`  straight from the server                ${shown(d50).padEnd(12)} ${shown(d99)}`);
console.log(`  through the proxy                       ${shown(p50).padEnd(12)} ${shown(p99)}\n`);
promise(p50 - d50 < 1, `the proxy adds ${shown(p50 - d50)} at the median (below 1 ms)`);

const atOnce = await run(servers.proxied, AT_ONCE, AT_ONCE, 50);
const wrong = atOnce.filter(({ right }) => !right).length;
promise(wrong === 0, `${AT_ONCE} streams at once: ${wrong} lost or mixed up`);

const samples: number[] = [];
const many = await run(servers.proxied, MANY, AT_ONCE, 5, (done) => {
  if (done % (MANY / 20) === 0) samples.push(memory(servers.proxy.pid));
});
const wrongOfMany = many.filter(({ right }) => !right).length;
promise(wrongOfMany === 0, `${MANY} streams, ${AT_ONCE} at once: ${wrongOfMany} lost or mixed up`);
const half = samples.slice(4, 12);
const end = samples.slice(12);
const growth = quantile(end, 0.5) - quantile(half, 0.5);
console.log(`memory of the proxy, MiB: ${samples.map((each) => each.toFixed(0)).join(" ")}`);
promise(growth < 0.15 * quantile(half, 0.5), `memory: ${growth.toFixed(1)} MiB between the middle and the end (flat)`);

servers.stop();
agent.destroy();
if (values.write && !failed)
  put(
    "docs/guide/proxy.md",
    "bench:proxy",
    markdown([
      [machine, "median", "99 of 100"],
      [`delay of a fragment, ${FEW} streams at once, straight from the server`, shown(d50), shown(d99)],
      ["through the proxy", shown(p50), shown(p99)],
      [`lost or mixed up of ${AT_ONCE} streams at once`, String(wrong), ""],
      [`lost or mixed up of ${MANY} streams, ${AT_ONCE} at once`, String(wrongOfMany), ""],
      [`resident memory after ${MANY / 4} of these streams`, `${quantile(half, 0.5).toFixed(0)} MiB`, ""],
      [`after ${MANY}`, `${quantile(end, 0.5).toFixed(0)} MiB`, ""],
    ]),
  );
process.exitCode = failed ? 1 : 0;
