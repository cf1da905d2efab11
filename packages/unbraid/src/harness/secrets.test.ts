import { describe, expect, test } from "vitest";
import { maskSecrets } from "./secrets.ts";

/** Made up, and put together here so that no scanner takes this file for a leak. */
const made = (...parts: readonly string[]): string => parts.join("");
const HEX = "0123456789abcdef0123456789abcdef";

describe("maskSecrets", () => {
  test.each([
    ["a bearer token", `401 for Bearer ${HEX}`, "401 for Bearer [masked]"],
    ["basic credentials", "authorization failed: Basic dXNlcjpwYXNz", undefined],
    ["a header", `x-api-key: ${HEX}`, "x-api-key: [masked]"],
    ["a header in JSON", `{"X-Api-Key": "${HEX}", "accept": "a"}`, '{"X-Api-Key": [masked], "accept": "a"}'],
    [
      "a password in an address",
      "connect postgres://app:hunter2@db:5432/x failed",
      "connect postgres://[masked]@db:5432/x failed",
    ],
    ["a password with an @", "redis://:p@ss@host:6379", "redis://[masked]@host:6379"],
    ["a token as user", `https://${HEX}@host/x.git`, "https://[masked]@host/x.git"],
    [
      "a connection string",
      "Server=db;User Id=sa;Password=hunter2;Encrypt=1",
      "Server=db;User Id=sa;Password=[masked];Encrypt=1",
    ],
    ["a libpq string", "host=db password='hunter 2' dbname=x", "host=db password=[masked] dbname=x"],
    ["a key in a query", `GET https://h/x?key=${HEX}&q=1`, "GET https://h/x?key=[masked]&q=1"],
    ["a signed address", `https://h/x?X-Amz-Signature=${HEX}&a=1`, "https://h/x?X-Amz-Signature=[masked]&a=1"],
    ["an access token in a query", `https://h/x?access_token=${HEX}`, "https://h/x?access_token=[masked]"],
    ["an OpenAI key", `bad key ${made("sk", "-proj-", HEX)}.`, "bad key [masked]."],
    ["an Anthropic key", `bad key ${made("sk", "-ant-api03-", HEX)}`, "bad key [masked]"],
    ["a Stripe key", `bad key ${made("sk", "_live_", HEX)}`, "bad key [masked]"],
    ["an AWS key id", `key ${made("AKIA", "IOSFODNN7EXAMPLE")} denied`, "key [masked] denied"],
    ["an AWS secret", `aws_secret_access_key = ${HEX}/+x`, "aws_secret_access_key = [masked]"],
    ["a Google key", `key ${made("AIza", "SyA0123456789abcdef0123456789abcde")} denied`, "key [masked] denied"],
    ["a GitHub token", `fatal: ${made("ghp", "_", HEX)}`, "fatal: [masked]"],
    ["a Slack token", `fatal: ${made("xoxb", "-1234567890-abcdefghij")}`, "fatal: [masked]"],
    ["a JWT", `bad ${made("eyJ", "hbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxIn0.", "c2lnbmF0dXJl")} x`, "bad [masked] x"],
    [
      "a PEM block",
      made("key:\n-----BEGIN RSA ", "PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nrest"),
      "key:\n[masked]\nrest",
    ],
    ["a PEM block that was cut", made("key:\n-----BEGIN ", "PRIVATE KEY-----\nMIIE\nabc"), "key:\n[masked]"],
    ["environment variables", `DB_PASSWORD=hunter2 API_TOKEN=${HEX}`, "DB_PASSWORD=[masked] API_TOKEN=[masked]"],
  ])("masks %s", (_, text, masked) => {
    const found = maskSecrets(text);
    if (masked !== undefined) expect(found).toBe(masked);
    expect(found).not.toMatch(/hunter|0123456789abcdef|dXNlcjpwYXNz|MIIE|IOSFODNN7/);
  });

  test.each([
    "connect ECONNREFUSED 127.0.0.1:5432",
    "Unexpected token: } in JSON at position 4",
    "max_tokens: 4096 is above the limit",
    "no such file: /home/user/secrets/list.txt",
    "https://example.org/a/b?page=2&sort=asc not found",
    "mail to ada@example.org bounced",
    "the password is too short",
    "status 404: The model `gpt-x` does not exist",
    "task-force and risk-assessment",
    "basic auth",
  ])("leaves %j legible", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  test("is bounded whatever it is given", () => {
    const start = performance.now();
    for (const unit of [
      "://",
      "-----BEGIN A-----",
      "password=",
      "eyJ",
      "sk-",
      "a.",
      '"',
      "token: ",
      "?key=",
      "bearer ",
      "x-",
    ])
      expect(maskSecrets(unit.repeat(1_000_000)).length).toBeLessThan(40_000);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
