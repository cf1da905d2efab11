// What `execute` gets, by schema.

import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { customTool, tool, type Tool, type Validation } from "./tool.ts";

test("the output type of zod", () => {
  const one = tool({
    name: "a",
    schema: z.object({ city: z.string(), days: z.string().transform(Number), unit: z.enum(["C", "F"]).default("C") }),
    execute: (args, { signal, call }) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; unit: "C" | "F" }>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return call.id;
    },
    needsApproval: ({ days }) => days > 3,
  });
  type Judged = Awaited<ReturnType<(typeof one)["validate"]>>;
  expectTypeOf<Judged>().toEqualTypeOf<Validation<{ city: string; days: number; unit: "C" | "F" }>>();
  expectTypeOf(one).toExtend<Tool>();
});

test("the output type of arktype", () => {
  tool({
    name: "a",
    schema: type({ city: "string", "days?": "number" }),
    execute: (args) => {
      expectTypeOf(args.city).toEqualTypeOf<string>();
      expectTypeOf(args.days).toEqualTypeOf<number | undefined>();
    },
  });
});

test("the output type of valibot", () => {
  tool({
    name: "a",
    schema: v.object({
      city: v.pipe(
        v.string(),
        v.transform((city) => city.length),
      ),
    }),
    parameters: { type: "object" },
    execute: async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: number }>();
      return Promise.resolve(args);
    },
  });
});

test("an object of unknown values for plain JSON Schema", () => {
  tool({
    name: "a",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    },
  });
  const schema = { type: "object", properties: { city: { type: "string" } } } as const;
  tool({ name: "a", schema, execute: (args) => expectTypeOf(args["city"]).toEqualTypeOf<unknown>() });
});

test("a type of one's own may be written at plain JSON Schema", () => {
  tool({ name: "a", schema: { type: "object" }, execute: (args: { readonly city: string }) => args.city });
});

test("text for a custom tool", () => {
  customTool({ name: "a", execute: (text) => expectTypeOf(text).toEqualTypeOf<string>() });
});

test("tools of any types make one list", () => {
  const tools: readonly Tool[] = [
    tool({ name: "a", schema: z.object({ city: z.string() }), execute: ({ city }) => city }),
    tool({ name: "b", schema: { type: "object" }, execute: () => 1 }),
    customTool({ name: "c", execute: (text) => text }),
  ];
  expectTypeOf(tools).items.toEqualTypeOf<Tool>();
});

test("what does not fit is refused", () => {
  // @ts-expect-error The schema gives no `town`.
  tool({ name: "a", schema: z.object({ city: z.string() }), execute: ({ town }) => town });
  // @ts-expect-error A number is no schema.
  tool({ name: "a", schema: 17, execute: () => 1 });
});
