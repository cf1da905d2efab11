import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { type FrameString, withStrings } from "./strings.ts";

function usesIn(value: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  withStrings(JSON.stringify(value), (string: FrameString) => {
    found[string.value] = string.use;
    return string.value;
  });
  return found;
}

describe("the strings of a frame", () => {
  it("are told apart by their keys", () => {
    expect(
      usesIn({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        model: "gpt",
        choices: [
          {
            delta: {
              content: "hello",
              tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{" } }],
            },
            finish_reason: "stop",
          },
        ],
      }),
    ).toEqual({
      "chatcmpl-1": "id",
      "chat.completion.chunk": "word",
      gpt: "model",
      hello: "text",
      call_1: "id",
      function: "word",
      f: "name",
      "{": "arguments",
      stop: "word",
    });
  });

  it("are values below arguments that are objects, with their keys", () => {
    expect(usesIn({ functionCall: { name: "f", args: { city: "Oslo", deep: { type: "secret" } } } })).toEqual({
      f: "name",
      city: "value",
      Oslo: "value",
      deep: "value",
      type: "value",
      secret: "value",
    });
  });

  it("are not a vendor's word only because of their key", () => {
    expect(usesIn({ type: "my secret is 42, do not tell", status: "done" })).toEqual({
      "my secret is 42, do not tell": "text",
      done: "word",
    });
  });

  it("stand in streams of their own, by the index beside them", () => {
    const streams = new Set<string>();
    for (const index of [0, 1])
      withStrings(JSON.stringify({ tool_calls: [{ index, function: { arguments: "x" } }] }), ({ stream, value }) => {
        streams.add(stream);
        return value;
      });
    expect(streams.size).toBe(2);
  });

  it("are all masked where the JSON is cut or is none", () => {
    const mask = ({ value }: FrameString): string => value.replaceAll(/[a-z]/g, "x");
    expect(withStrings('{"a":"secret","b":"cut sho', mask)).toBe('{"a":"xxxxxx","x":"xxx xxx');
    expect(withStrings("upstream failed for ann", mask)).toBe("xxxxxxxx xxxxxx xxx xxx");
  });

  test.prop([fc.json()])("leave the text byte for byte where nothing is exchanged", (text) => {
    expect(withStrings(text, ({ value }) => value)).toBe(text);
  });
});
