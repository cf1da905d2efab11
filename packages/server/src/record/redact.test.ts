import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { Cover, REDACTED, redactedHeaders, redactedUrl, redactedValue, secretsIn, secretsOf } from "./redact.ts";

const KEY = "sk-proj-abcdefghijklmnop0123456789";

describe("headers", () => {
  it.each([
    "Authorization",
    "x-api-key",
    "api-key",
    "X-Goog-Api-Key",
    "Cookie",
    "Set-Cookie",
    "X-Amz-Security-Token",
    "Proxy-Authorization",
    "Ocp-Apim-Subscription-Key-Api-Key",
  ])("%s is a secret", (name) => expect(redactedHeaders([name, "value"])).toEqual([[name, REDACTED]]));

  it("leaves others, and covers a key by its shape", () => {
    expect(redactedHeaders(["Content-Type", "text/plain", "X-Note", `use ${KEY} now`])).toEqual([
      ["Content-Type", "text/plain"],
      ["X-Note", `use ${REDACTED} now`],
    ]);
  });
});

describe("queries", () => {
  it.each([
    "key",
    "sig",
    "api_key",
    "api-key",
    "access_token",
    "token",
    "X-Amz-Signature",
    "X-Amz-Credential",
    "client_secret",
  ])("%s is a secret", (name) => {
    expect(redactedUrl(`/v1/x?a=1&${name}=hidden&b=2`)).toBe(`/v1/x?a=1&${name}=${REDACTED}&b=2`);
    expect(redactedUrl(`/v1/x?${name.replace("e", "%65")}=hidden`)).not.toContain("hidden");
  });

  it("loses secrets of elsewhere, and keys by their shape, wherever they stand", () => {
    expect(redactedUrl(`/v1/${KEY}/knownsecret?q=knownsecret&r=1`, ["knownsecret"])).toBe(
      `/v1/${REDACTED}/${REDACTED}?q=${REDACTED}&r=1`,
    );
  });

  it("leaves what is none", () => {
    expect(redactedUrl("/v1/x?alt=sse&api-version=2024-10-21")).toBe("/v1/x?alt=sse&api-version=2024-10-21");
    expect(redactedUrl("/v1/x")).toBe("/v1/x");
  });
});

describe("bodies", () => {
  it("lose fields of credentials at any depth, and known secrets anywhere", () => {
    const body = {
      model: "m",
      api_key: "x",
      deep: [{ Authorization: "y", content: `say ${KEY}` }],
      echo: "the-header-value",
    };
    expect(redactedValue(body, ["the-header-value"])).toEqual({
      model: "m",
      api_key: REDACTED,
      deep: [{ Authorization: REDACTED, content: `say ${REDACTED}` }],
      echo: REDACTED,
    });
  });

  it("lose lists of credentials too, and tell what may come again", () => {
    expect(redactedValue({ api_key: ["a", "b"], token: [] }, [])).toEqual({ api_key: REDACTED, token: [] });
    const body = { deep: [{ Authorization: "Bearer 0123456789", key: "assistant", password: "short" }] };
    expect(secretsIn(body)).toEqual(["Bearer 0123456789", "0123456789"]);
  });

  it("keep words that only sound like one", () => {
    const body = { max_tokens: 5, tokens: ["a"], key_points: "b", tool_choice: "auto", token_type_ids: [1] };
    expect(redactedValue(body, [])).toEqual(body);
  });

  it("are no way to another prototype", () => {
    const value = redactedValue(JSON.parse('{"__proto__":{"polluted":true}}'), []);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
  });
});

describe("secretsOf", () => {
  it("takes values of credentials apart", () => {
    expect(secretsOf(["Authorization", "Bearer abcdefgh12345", "X", "y"], "/a?key=queryvalue1&q=plainvalue")).toEqual([
      "Bearer abcdefgh12345",
      "abcdefgh12345",
      "queryvalue1",
    ]);
  });
});

describe("Cover", () => {
  test.prop([fc.array(fc.nat(20), { maxLength: 30 })])(
    "covers secrets however the bytes are cut, and keeps offsets",
    (cuts) => {
      const text = "before topsecret1 and topsecret1topsecret1 behind topsecre";
      const cover = new Cover(["topsecret1"]);
      const out: Uint8Array[] = [];
      let at = 0;
      for (const size of cuts) {
        out.push(Buffer.from(cover.push(Buffer.from(text.slice(at, at + size)))));
        at += size;
      }
      out.push(Buffer.from(cover.push(Buffer.from(text.slice(at)))), Buffer.from(cover.end()));
      expect(Buffer.concat(out).toString()).toBe(text.replaceAll("topsecret1", "*".repeat(10)));
    },
  );
});
