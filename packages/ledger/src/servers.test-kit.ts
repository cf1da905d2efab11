// Real servers for tests, each in a folder of its own, on a socket there or a free port of this machine. Owns starting and
// stopping them.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, test } from "vitest";
import { provide, type ServiceName } from "../../../scripts/services.mjs";

/** A server that runs. */
export interface RunningServer {
  /** Where it listens, as its ledger takes it. */
  readonly url: string;
  /** Its process. */
  readonly process: ChildProcess;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again over the same data, once it has ended. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Runs tests with a program, or skips them with a line that says why. On a build machine (`CI=true`) a skip is a failure.
 *
 * @param what the tests' name
 * @param tests gets the program's path
 */
export async function describeWith(name: ServiceName, what: string, tests: (path: string) => void): Promise<void> {
  const given = await provide(name);
  if ("path" in given) {
    // A browser draws when the machine lets it: a key may be pressed before there is anything that hears it.
    describe(what, { retry: name === "chromium" ? 2 : 0 }, () => tests(given.path));
    return;
  }
  process.stderr.write(`\nTESTS ARE SKIPPED (${what}): ${given.missing}\n`);
  if (process.env["CI"] === "true")
    test(what, () => {
      throw new Error(given.missing);
    });
  else describe.skip(what, () => tests(""));
}

interface Recipe {
  readonly command: string;
  readonly args: readonly string[];
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Whether it answers. */
  readonly ready: () => Promise<boolean>;
}

async function start(folder: string, url: string, recipe: Recipe): Promise<RunningServer> {
  let child = await begin(folder, recipe);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return {
    url,
    get process() {
      return child;
    },
    kill: () => end("SIGKILL"),
    restart: async () => {
      await end("SIGKILL");
      child = await begin(folder, recipe);
    },
    stop: async () => {
      // PostgreSQL: end at once, without asking clients; a Valkey ends by this signal as well.
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function begin(folder: string, { command, args, user, ready }: Recipe): Promise<ChildProcess> {
  const child = spawn(command, args, { cwd: folder, ...user, stdio: ["ignore", "pipe", "pipe"] });
  // Where the tests end by an error, nothing of theirs is left running.
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  let said = "";
  const hear = (text: string): void => void (said = (said + text).slice(-4000));
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  child.once("error", (error) => hear(error.message));
  for (let waited = 0; waited < 30_000; waited += 20) {
    if (await ready()) return child;
    if (child.exitCode !== null) break;
    await sleep(20);
  }
  child.kill("SIGKILL");
  throw new Error(`${command} did not start:\n${said}`);
}

/** Starts a PostgreSQL with an administrator `ledger`. It does not wait for the disk. */
export async function startPostgres(bin: string): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-postgres-"));
  const user = ordinaryUser();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const make = ["-D", data, "-U", "ledger", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  execFileSync(join(bin, "initdb"), make, { ...user, cwd: folder, stdio: "ignore" });
  const port = await freePort();
  const options = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder,
    fsync: "off",
    log_min_messages: "warning",
  };
  const settings = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const url = `postgres://ledger@127.0.0.1:${port}/postgres`;
  return start(folder, url, {
    command: join(bin, "postgres"),
    args: ["-D", data, ...settings],
    user,
    ready: () => postgresAnswers(url),
  });
}

async function postgresAnswers(url: string): Promise<boolean> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(url, { max: 1, connect_timeout: 2 });
  try {
    await sql`SELECT 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** PostgreSQL refuses to be run by root. */
function ordinaryUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const [, , uid, gid] = ["postgres", "nobody"].flatMap((name) => users.filter(([known]) => known === name))[0] ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

/** Starts a Valkey or Redis on a port, with `args` besides. */
export async function startValkey(command: string, args: readonly string[] = []): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-valkey-"));
  const port = await freePort();
  const own = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--dir", folder];
  const url = `redis://127.0.0.1:${port}`;
  return start(folder, url, { command, args: [...own, ...args], user: {}, ready: () => valkeyAnswers(url) });
}

async function valkeyAnswers(url: string): Promise<boolean> {
  const { Redis } = await import("iovalkey");
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.ping()) === "PONG";
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

/** A port of this machine that nobody uses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A relay before a server. */
export interface Relay {
  /** Its own address, of the server's form. */
  readonly url: string;
  /** Lets nothing pass any more on the connections there are, as a cable that was pulled. New ones are not touched. */
  freeze(): void;
  /** Ends it. */
  stop(): void;
}

/** Starts a relay before a server. */
export async function startRelay(url: string): Promise<Relay> {
  const { hostname: host, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: url.replace(`:${port}`, `:${(server.address() as AddressInfo).port}`),
    freeze: () => {
      for (const socket of sockets) socket.unpipe();
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
