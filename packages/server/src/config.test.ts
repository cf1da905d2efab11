import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, parseConfig, readConfig } from "./config.ts";
import { startProxy } from "./proxy/proxy.ts";
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS, numbers, type ProxyOptions } from "./proxy/settings.ts";

describe("configuration", () => {
  it("takes everything that the options have", () => {
    const all = {
      upstreams: [
        {
          url: "http://a/v1",
          name: "a",
          prefix: "/a",
          host: "h",
          protocol: "openai-chat",
          as: "anthropic",
          model: "m",
          rescue: true,
          hold: true,
          repair: true,
        },
      ],
      host: "::1",
      port: 0,
      adminPort: 9090,
      limits: { ...DEFAULT_LIMITS },
      timeouts: { ...DEFAULT_TIMEOUTS },
      reading: { maxCalls: 5 },
      record: { folder: "r", maxBytes: 1, maxBodyBytes: 1 },
    };
    expect(parseConfig(all)).toEqual(all);
  });

  it.each([
    [{}, /upstreams: /],
    [{ upstreams: [] }, /upstreams: /],
    [{ upstreams: [{ url: "http://a", prefix: "a" }] }, /upstreams\.0\.prefix: /],
    [{ upstreams: [{ url: "http://a" }], port: 70_000 }, /port: /],
    [{ upstreams: [{ url: "http://a" }], prot: 1 }, /Unrecognized key.*prot/],
    [{ upstreams: [{ url: "http://a" }], timeouts: { connect: 0 } }, /timeouts\.connect: /],
    [{ upstreams: [{ url: "http://a", as: "openai" }] }, /upstreams\.0\.as: /],
    [[], /expected object/],
  ])("says what is wrong, and where (%#)", (value, words) => {
    expect(() => parseConfig(value)).toThrow(ConfigError);
    expect(() => parseConfig(value)).toThrow(words);
  });

  it("names the file that is wrong", async () => {
    const folder = mkdtempSync(join(tmpdir(), "unbraid-"));
    const path = join(folder, "proxy.json");
    writeFileSync(path, "{");
    await expect(readConfig(path)).rejects.toThrow(new RegExp(`${path}.*JSON`));
    writeFileSync(path, "{}");
    await expect(readConfig(path)).rejects.toThrow(`${path}: upstreams`);
    await expect(readConfig(join(folder, "no.json"))).rejects.toThrow(/ENOENT/);
    rmSync(folder, { recursive: true });
  });
});

describe("options", () => {
  it.each([
    [{ upstreams: [] }, /needs an upstream/],
    [{ upstreams: [{ url: "ftp://a" }] }, /no http or https URL/],
    [{ upstreams: [{ url: "a" }] }, /no http or https URL/],
    [{ upstreams: [{ url: "http://a?key=1" }] }, /no query/],
    [{ upstreams: [{ url: "http://u:p@a" }] }, /no user and no password/],
    [{ upstreams: [{ url: "http://a" }], limits: { maxExchanges: 0 } }, /maxExchanges must be a whole number/],
    [{ upstreams: [{ url: "http://a" }], timeouts: { conect: 1 } }, /unknown time-out "conect"/],
    [{ upstreams: [{ url: "http://a" }], timeouts: { silence: 3_000_000_000 } }, /silence must be at most 2147483647/],
    [{ upstreams: [{ url: "http://a" }], host: "256.1.1.1" }, /ENOTFOUND|EADDRNOTAVAIL|EAI_AGAIN/],
  ] as const)("that cannot be are refused at the start (%#)", async (options, words) => {
    await expect(startProxy(options as ProxyOptions)).rejects.toThrow(words);
  });

  it("have defaults", () => {
    expect(numbers(DEFAULT_LIMITS, { maxExchanges: 3 }, "limit")).toEqual({ ...DEFAULT_LIMITS, maxExchanges: 3 });
  });
});
