import { describe, expect, test } from "vitest";
import { geminiInteractionsTurns } from "./gemini-interactions.ts";
import { geminiLiveTurns } from "./gemini-live.ts";
import { geminiTurns } from "./gemini.ts";
import { answerOf, answersOf, IMAGE, PDF, resultsFor, SOUND, TEXT } from "./turns.test-kit.ts";

const { assistant, results, tools, user, request } = geminiTurns;

const chunk = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { parts } }],
  ...more,
});
const stop = { candidates: [{ content: { parts: [] }, finishReason: "STOP" }] };
const call = (args: object, more: object = {}): object => ({ functionCall: { name: "lookup", args, ...more } });
const parts = (...chunks: readonly object[]): unknown =>
  (assistant(answerOf("gemini", ...chunks, stop))[0] as { parts: unknown } | undefined)?.parts;

describe("the echo", () => {
  test("has a signature on the part that bore it: a call, a text, an empty text, a thought", () => {
    expect(
      parts(
        chunk([{ text: "Hm. ", thought: true }]),
        chunk([{ text: "Yes.", thought: true, thoughtSignature: "dDE=" }]),
        chunk([{ text: "So " }, { text: "be it. ", thoughtSignature: "dDI=" }]),
        chunk([{ ...call({ q: 1 }, { id: "a" }), thoughtSignature: "dDM=" }, call({ q: 2 }, { id: "b" })]),
        chunk([{ text: "", thoughtSignature: "dDQ=" }]),
      ),
    ).toEqual([
      { text: "Yes.", thought: true, thoughtSignature: "dDE=" },
      { text: "So " },
      { text: "be it. ", thoughtSignature: "dDI=" },
      { functionCall: { id: "a", name: "lookup", args: { q: 1 } }, thoughtSignature: "dDM=" },
      { functionCall: { id: "b", name: "lookup", args: { q: 2 } } },
      { text: "", thoughtSignature: "dDQ=" },
    ]);
  });

  test("has only ids that the vendor gave", () => {
    const answer = answerOf("gemini", chunk([call({ q: 1 }), call({ q: 1 })]), stop);
    expect(assistant(answer)).toEqual([
      {
        role: "model",
        parts: [
          { functionCall: { name: "lookup", args: { q: 1 } } },
          { functionCall: { name: "lookup", args: { q: 1 } } },
        ],
      },
    ]);
    expect(results(resultsFor(answer), answer)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { name: "lookup", response: { output: "ok 0" } } },
          { functionResponse: { name: "lookup", response: { output: "ok 1" } } },
        ],
      },
    ]);
  });

  test("has the server's parts as they came", () => {
    const code = { executableCode: { id: "x", language: "PYTHON", code: "1" }, thoughtSignature: "dDE=" };
    const given = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } };
    const search = { toolCall: { id: "t", toolType: "GOOGLE_MAPS", args: { q: 1 } } };
    const found = { toolResponse: { id: "t", toolType: "GOOGLE_MAPS", response: {} } };
    expect(parts(chunk([code, given, search, found, { text: "Hi" }]))).toEqual([
      code,
      given,
      search,
      found,
      { text: "Hi" },
    ]);
  });

  test("has the fields' own spelling where a proxy changed it", () => {
    expect(parts(chunk([{ text: "", thought_signature: "dDE=" }]))).toEqual([{ text: "", thoughtSignature: "dDE=" }]);
  });

  test("says so where Gemini 3's signature was lost, and only there", () => {
    const third = { modelVersion: "gemini-3-pro-preview" };
    expect(parts(chunk([call({ q: 1 }), call({ q: 2 })], third))).toMatchObject([
      { thoughtSignature: "skip_thought_signature_validator" },
      { functionCall: { args: { q: 2 } } },
    ]);
    const signed = { ...call({ q: 1 }), thoughtSignature: "dDE=" };
    expect(parts(chunk([signed], third))).toMatchObject([{ thoughtSignature: "dDE=" }]);
    expect(JSON.stringify(parts(chunk([call({ q: 1 })], { modelVersion: "gemini-2.5-pro" })))).not.toContain("skip_");
    expect(JSON.stringify(parts(chunk([{ text: "x" }], third)))).not.toContain("skip_");
  });

  test("has nothing where there is nothing", () => {
    expect(assistant(answerOf("gemini", stop))).toEqual([]);
  });
});

describe("results", () => {
  test("hold errors under their own key", () => {
    const answer = answerOf("gemini", chunk([call({}, { id: "a" })]), stop);
    const [result] = resultsFor(answer);
    expect(results([{ ...result!, isError: true }], answer)).toMatchObject([
      { parts: [{ functionResponse: { id: "a", response: { error: "ok 0" } } }] },
    ]);
  });

  test("hold media from Gemini 3 on, and stand beside them before", () => {
    const third = answerOf("gemini", chunk([call({}, { id: "a" })], { modelVersion: "gemini-3-flash" }), stop);
    expect(results(resultsFor(third, [TEXT, IMAGE]), third)).toEqual([
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "a",
              name: "lookup",
              response: { output: "Look here." },
              parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
            },
          },
        ],
      },
    ]);
    expect(results(resultsFor(third, [IMAGE]), third)).toMatchObject([
      { parts: [{ functionResponse: { response: { output: "(see the attached parts)" } } }] },
    ]);
    const second = answerOf("gemini", chunk([call({}, { id: "a" })], { modelVersion: "gemini-2.5-pro" }), stop);
    expect(results(resultsFor(second, [IMAGE, SOUND]), second)).toEqual([
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "a",
              name: "lookup",
              response: {
                output:
                  "[image (image/png): it stands behind the results]\n[file (audio/ogg): it stands behind the results]",
              },
            },
          },
          { text: "Returned by the tool lookup for the call a:" },
          { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
          { fileData: { mimeType: "audio/ogg", fileUri: "https://example.org/a.ogg" } },
        ],
      },
    ]);
  });
});

test("requests declare plain JSON Schema", () => {
  expect(tools([{ name: "a.b", description: "A.", parameters: {} }])).toEqual([
    {
      functionDeclarations: [
        { name: "a.b", description: "A.", parametersJsonSchema: { type: "object", properties: {} } },
      ],
    },
  ]);
  expect(tools([])).toEqual([]);
  expect(request({ system: "Be.", messages: user([TEXT, IMAGE]) })).toMatchObject({
    systemInstruction: { parts: [{ text: "Be." }] },
    contents: [{ role: "user", parts: [{ text: "Look here." }, { inlineData: { mimeType: "image/png" } }] }],
  });
});

describe("Live", () => {
  test("takes results in one message, words alone", () => {
    const [answer] = answersOf(
      "gemini",
      [{ toolCall: { functionCalls: [{ id: "a", name: "lookup", args: {} }] } }],
      true,
    );
    expect(geminiLiveTurns.results(resultsFor(answer!, [TEXT, IMAGE]), answer)).toEqual([
      {
        toolResponse: {
          functionResponses: [
            {
              id: "a",
              name: "lookup",
              response: { output: "Look here.\n[image (image/png): it cannot be shown here]" },
            },
          ],
        },
      },
    ]);
    expect(geminiLiveTurns.assistant(answer!)).toEqual([
      {
        clientContent: {
          turns: [{ role: "model", parts: [{ functionCall: { id: "a", name: "lookup", args: {} } }] }],
          turnComplete: false,
        },
      },
    ]);
    expect(geminiLiveTurns.results([])).toEqual([]);
    expect(geminiLiveTurns.user([TEXT])).toMatchObject([{ clientContent: { turnComplete: true } }]);
    expect(
      geminiLiveTurns.request({ system: "Be.", messages: [], tools: [{ name: "a", parameters: {} }] }),
    ).toMatchObject({
      systemInstruction: { parts: [{ text: "Be." }] },
      tools: [{ functionDeclarations: [{ name: "a" }] }],
    });
  });
});

describe("Interactions", () => {
  const step = (index: number, first: object, ...deltas: readonly object[]): object[] => [
    { event_type: "step.start", index, step: first },
    ...deltas.map((delta) => ({ event_type: "step.delta", index, delta })),
    { event_type: "step.stop", index },
  ];
  const done = { event_type: "interaction.completed", interaction: { id: "i", status: "requires_action" } };

  test("takes steps back: thoughts with their signature, the server's own, calls", () => {
    const answer = answerOf(
      "gemini",
      { event_type: "interaction.created", interaction: { id: "i" } },
      ...step(
        0,
        { type: "thought" },
        { type: "thought_summary", content: { type: "text", text: "Hm." } },
        { type: "thought_signature", signature: "dDE=" },
      ),
      ...step(
        1,
        { type: "google_search_call", id: "g", arguments: {}, signature: "dDI=" },
        { type: "google_search_call", arguments: { queries: ["x"] } },
      ),
      ...step(2, { type: "google_search_result", call_id: "g", result: [] }),
      ...step(3, { type: "model_output" }, { type: "text", text: "So." }),
      ...step(
        4,
        { type: "function_call", id: "f", name: "lookup", arguments: {}, signature: "" },
        { type: "arguments_delta", arguments: '{"q":1}' },
      ),
      done,
    );
    expect(geminiInteractionsTurns.assistant(answer)).toEqual([
      { type: "thought", signature: "dDE=", summary: [{ type: "text", text: "Hm." }] },
      { type: "google_search_call", id: "g", signature: "dDI=", arguments: { queries: ["x"] } },
      { type: "google_search_result", call_id: "g", result: [] },
      { type: "model_output", content: [{ type: "text", text: "So." }] },
      { type: "function_call", id: "f", name: "lookup", arguments: { q: 1 } },
    ]);
    const [result] = resultsFor(answer, [TEXT, IMAGE, PDF, { type: "image", mediaType: "image/png" }]);
    expect(geminiInteractionsTurns.results([{ ...result!, isError: true }], answer)).toEqual([
      {
        type: "function_result",
        call_id: "f",
        name: "lookup",
        result: [
          { type: "text", text: "Look here." },
          { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" },
          { type: "document", mime_type: "application/pdf", data: "JVBERi0=" },
          { type: "text", text: "[image (image/png): it cannot be shown here]" },
        ],
        is_error: true,
      },
    ]);
    expect(geminiInteractionsTurns.results(resultsFor(answer), answer)).toMatchObject([{ result: "ok 0" }]);
  });

  test("requests", () => {
    const { request: body, user: said } = geminiInteractionsTurns;
    expect(body({ system: "Be.", messages: said([TEXT, SOUND]), tools: [{ name: "a", parameters: {} }] })).toEqual({
      system_instruction: "Be.",
      input: [
        {
          type: "user_input",
          content: [
            { type: "text", text: "Look here." },
            { type: "audio", mime_type: "audio/ogg", uri: "https://example.org/a.ogg" },
          ],
        },
      ],
      tools: [{ type: "function", name: "a", parameters: { type: "object", properties: {} } }],
    });
    expect(said([])).toMatchObject([{ content: [{ text: "(no output)" }] }]);
  });
});
