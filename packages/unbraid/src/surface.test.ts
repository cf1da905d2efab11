// What the package shows and what its rooms may know of each other, so that a change of either is seen.

import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const src = fileURLToPath(new URL(".", import.meta.url));
const manifest = JSON.parse(readFileSync(join(src, "../package.json"), "utf8")) as {
  exports: Record<string, { types: string; default: string }>;
  dependencies?: object;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

const EVENTS = [
  "CallAnsweredEvent",
  "CallAppendEvent",
  "CallCloseEvent",
  "CallIdentity",
  "CallKind",
  "CallProblem",
  "CallRepair",
  "CallReplaceEvent",
  "CallRetractEvent",
  "CallStartEvent",
  "CallStatus",
  "Dropped",
  "ErrorEvent",
  "FinishEvent",
  "FinishReason",
  "NoticeCode",
  "NoticeEvent",
  "PartEvent",
  "ProblemCode",
  "ReasoningEvent",
  "ResponseEvent",
  "RetractReason",
  "StreamEvent",
  "TextEvent",
  "ToolCall",
  "UsageEvent",
  "WireError",
  "WirePosition",
  "WireVariant",
];

const ONE_WIRE = [
  "Collected",
  "Collector",
  "EventStream",
  "ReadOptions",
  "Reader",
  "ReaderOptions",
  "Source",
  "Wire",
  "collect",
  "runnable",
  ...EVENTS,
];

/** Every name that each entry exports, types too. */
const SURFACE: Readonly<Record<string, readonly string[]>> = {
  ".": [
    "AnyReadOptions",
    "AnyReaderOptions",
    "DEFAULT_LIMITS",
    "DeclaredTool",
    "FieldInfo",
    "FieldListener",
    "FramingName",
    "Limits",
    "ProtocolName",
    "createReader",
    "read",
    "wires",
    ...ONE_WIRE,
  ],
  "./json": [
    "ArgumentRepair",
    "JsonFault",
    "JsonFaultCode",
    "JsonFollowInfo",
    "JsonFollowListener",
    "JsonKind",
    "JsonNumberSource",
    "JsonScanner",
    "JsonScannerOptions",
    "JsonTextState",
    "JsonValueBuilder",
    "JsonValueOptions",
    "ParseJsonOptions",
    "ParseJsonResult",
    "RepairCode",
    "RepairOptions",
    "exactNumber",
    "parseJson",
    "repairArguments",
  ],
  "./framing": [
    "DEFAULT_MAX_FRAME_BYTES",
    "EmitFrame",
    "ExtraFraming",
    "Frame",
    "FrameFault",
    "FrameFaultCode",
    "Framer",
    "FramingName",
    "FramingOptions",
    "MakeFramer",
    "awsEventStream",
    "createFramer",
    "detectFraming",
    "isDisguisedComment",
    "splitGlued",
  ],
  "./protocols/openai-chat": ["openaiChat", ...ONE_WIRE],
  "./protocols/openai-responses": ["openaiResponses", ...ONE_WIRE],
  "./protocols/anthropic": ["anthropic", ...ONE_WIRE],
  "./protocols/gemini": ["gemini", ...ONE_WIRE],
  "./protocols/openai-realtime": ["openaiRealtime", ...ONE_WIRE],
  "./protocols/bedrock": ["bedrock", ...ONE_WIRE],
  "./protocols/cohere": ["cohere", ...ONE_WIRE],
  "./protocols/mistral": ["mistral", ...ONE_WIRE],
  "./protocols/ollama": ["ollama", ...ONE_WIRE],
  "./protocols/text": ["text", ...ONE_WIRE],
  "./strict": [
    "openaiChat",
    "openaiResponses",
    "anthropic",
    "gemini",
    "bedrock",
    "cohere",
    "mistral",
    "ollama",
    ...ONE_WIRE,
  ],
  "./parts": [
    "EmitFrame",
    "FastPathPart",
    "FieldInfo",
    "FieldListener",
    "Frame",
    "FrameFault",
    "FrameFaultCode",
    "Framer",
    "FramingName",
    "GivenText",
    "LiveValues",
    "LiveValuesPart",
    "RepairPart",
    "Restated",
    "Skim",
    "fastPath",
    "liveValues",
    "repair",
  ],
  "./encode": [
    "AgUiEncodeOptions",
    "AiSdkUiEncodeOptions",
    "EncodeNotice",
    "EncodeNoticeCode",
    "EncodeOptions",
    "EncodedWire",
    "Encoder",
    "GeminiEncodeOptions",
    "IdentifierRule",
    "OpenaiChatEncodeOptions",
    "WholeResponse",
    "encodeAgUi",
    "encodeAiSdkUi",
    "encodeAnthropic",
    "encodeGemini",
    "encodeOllama",
    "encodeOpenaiChat",
    "encodeOpenaiResponses",
    "fitIdentifier",
    "originalIdentifier",
    "wholeAnthropic",
    "wholeGemini",
    "wholeOllama",
    "wholeOpenaiChat",
    "wholeOpenaiResponses",
    "ProtocolName",
    ...EVENTS,
  ],
  "./translate": [
    "AnswerFormat",
    "AnswerItem",
    "CallResult",
    "ContentPart",
    "CustomFormat",
    "Effort",
    "FilePart",
    "ImagePart",
    "JsonSchema",
    "NeutralRequest",
    "NeutralTurn",
    "ReadRequest",
    "ReadRequestOptions",
    "ReasoningRequest",
    "RequestError",
    "RequestErrorCode",
    "RequestWire",
    "TextPart",
    "ToolChoice",
    "ToolDefinition",
    "TranslateNotice",
    "TranslateNoticeCode",
    "TranslateOptions",
    "TranslatedRequest",
    "WriteRequestOptions",
    "WrittenRequest",
    "isRequestError",
    "readRequest",
    "requestPath",
    "translateRequest",
    "writeRequest",
    "CallIdentity",
    "CallKind",
    "CallProblem",
    "CallRepair",
    "CallStatus",
    "ProblemCode",
    "ToolCall",
  ],
  "./rescue": ["RescueForm", "RescueSettings", "RescueStage", "rescue", "rescueForms"],
  "./turns": [
    "Answer",
    "AnswerCollector",
    "AnswerItem",
    "CallResult",
    "ContentPart",
    "CustomFormat",
    "FilePart",
    "ImagePart",
    "JsonSchema",
    "ProtocolName",
    "RequestParts",
    "TextPart",
    "ToolDefinition",
    "TurnForm",
    "TurnFormName",
    "anthropicTurns",
    "bedrockAnthropicTurns",
    "bedrockOpenaiTurns",
    "bedrockTurns",
    "cohereTurns",
    "forSdk",
    "geminiInteractionsTurns",
    "geminiLiveTurns",
    "geminiTurns",
    "mistralConversationsTurns",
    "mistralTurns",
    "ollamaTurns",
    "openaiChatTurns",
    "openaiLiveTurns",
    "openaiRealtimeTurns",
    "openaiResponsesTurns",
    "pending",
    "textTurns",
    "turnFormOf",
    "turnForms",
    "withRepairs",
    ...EVENTS,
  ],
  "./harness": [
    "AbortedInfo",
    "AboutCall",
    "AboutTool",
    "AnswerDecision",
    "AnswerItem",
    "Approval",
    "ApprovalRequest",
    "Approve",
    "ArgumentsOf",
    "BudgetVerdict",
    "CallDecision",
    "CallResult",
    "Claim",
    "ClaimOutcome",
    "ClaimRequest",
    "CollisionInfo",
    "ContentPart",
    "Correction",
    "CorrectionBudget",
    "CorrectionLimits",
    "CorrectionReason",
    "Corrections",
    "CorrectiveResult",
    "CustomFormat",
    "CustomToolOptions",
    "Dispatch",
    "DispatchOptions",
    "DispatchResult",
    "DispatchSetting",
    "FilePart",
    "ImagePart",
    "InvalidArgumentsInfo",
    "JsonSchema",
    "JudgedAnswer",
    "LeaveDecision",
    "Ledger",
    "LedgerKey",
    "MalformedInfo",
    "Model",
    "ModelError",
    "ModelErrorCode",
    "ModelErrorDetails",
    "ModelRequest",
    "NotRunInfo",
    "OutputLimits",
    "PolicyOptions",
    "ReadingSetting",
    "RecordedResult",
    "RefusedInfo",
    "RepairedInfo",
    "RunDecision",
    "RunEndEvent",
    "RunEvent",
    "RunReason",
    "RunResult",
    "RunToolsOptions",
    "RunUsage",
    "SchemaIssue",
    "StandardIssue",
    "SchemaError",
    "StandardJsonSchema",
    "StandardOutput",
    "StandardResult",
    "StandardSchema",
    "StandardSchemaProperties",
    "TextPart",
    "ThrewInfo",
    "TimedOutInfo",
    "Tool",
    "ToolApprovalEvent",
    "ToolContext",
    "ToolDefinition",
    "ToolError",
    "ToolEvent",
    "ToolOptions",
    "ToolOutput",
    "ToolResultEvent",
    "ToolRun",
    "ToolSet",
    "ToolSettings",
    "ToolStartEvent",
    "TruncatedInfo",
    "TurnDropEvent",
    "TurnEndEvent",
    "TurnRecord",
    "TurnStartEvent",
    "TurnStreamEvent",
    "UnknownOutcomeInfo",
    "UnknownToolInfo",
    "Validation",
    "argumentsHash",
    "contentOf",
    "correctiveResult",
    "correctiveText",
    "customTool",
    "decide",
    "decideCall",
    "isModelError",
    "isToolError",
    "maskSecrets",
    "messageOfThrown",
    "issuesOf",
    "repairedNote",
    "runTools",
    "tool",
    ...EVENTS,
  ],
  "./ledger": [
    "Claim",
    "ClaimOutcome",
    "ClaimRequest",
    "ContentPart",
    "FilePart",
    "ImagePart",
    "Ledger",
    "LedgerError",
    "LedgerErrorCode",
    "LedgerKey",
    "LedgerLimits",
    "LedgerValues",
    "MemoryLedgerOptions",
    "RecordedResult",
    "TextPart",
    "TurnRecord",
    "TurnText",
    "isLedgerError",
    "memoryLedger",
    ...EVENTS,
  ],
  "./models": [
    "AnthropicClient",
    "AnthropicOptions",
    "BedrockClient",
    "BedrockClientOptions",
    "BedrockHttpOptions",
    "Body",
    "ClientModelOptions",
    "CohereClient",
    "CohereV2Client",
    "Fetch",
    "GeminiClient",
    "GeminiInteractionsClient",
    "Socket",
    "SocketModelOptions",
    "geminiLive",
    "openaiRealtime",
    "HttpModelOptions",
    "MistralClient",
    "Model",
    "ModelError",
    "ModelErrorCode",
    "ModelErrorDetails",
    "ModelOptions",
    "ModelRequest",
    "OllamaClient",
    "OpenAIChatClient",
    "OpenAIResponsesClient",
    "ResponsesOptions",
    "anthropic",
    "bedrock",
    "cohere",
    "gemini",
    "geminiInteractions",
    "isModelError",
    "mistral",
    "ollama",
    "openaiChat",
    "openaiResponses",
  ],
  "./mcp": [
    "JsonSchema",
    "McpAnnotations",
    "McpClient",
    "McpProgress",
    "McpRequestOptions",
    "McpTool",
    "McpToolSet",
    "McpToolsOptions",
    "Tool",
    "mcpTools",
  ],
  "./telemetry": ["Model", "RunEvent", "TelemetryOptions", "Tool", "Traceable", "traced"],
};

/**
 * What each room may import: a folder, or a file at the top by its name. `types:` rooms lend their types alone. Nothing
 * is imported upwards: the order here is the order of the layers.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  events: [],
  release: [],
  json: [],
  framing: ["release"],
  sources: [],
  failure: [],
  "wire-values": [],
  defined: [],
  kinds: ["events"],
  assembly: ["json", "events", "wire-values", "defined", "kinds", "release"],
  rescue: ["json", "events", "wire-values", "kinds", "assembly"],
  // Bedrock brings its own framing along, so that only its readers load it.
  templates: ["types:assembly", "framing"],
  "fast-path": ["templates", "framing"],
  parts: ["events", "json", "types:assembly", "fast-path", "framing"],
  protocols: ["events", "wire-values", "types:templates", "assembly", "framing", "release"],
  turns: ["events", "kinds", "wire-values", "types:protocols"],
  collect: ["events", "defined", "kinds"],
  encode: ["events", "kinds", "assembly", "turns", "types:protocols"],
  translate: ["events", "kinds", "wire-values", "turns", "encode"],
  "odd-frames": ["framing", "assembly"],
  "reader-options": ["types:assembly", "types:framing", "types:parts", "types:rescue"],
  reader: ["types:events", "types:parts", "types:protocols", "types:reader-options"],
  "base-reader": [
    "sources",
    "types:reader",
    "reader-options",
    "events",
    "failure",
    "odd-frames",
    "types:fast-path",
    "types:parts",
    "framing",
    "assembly",
    "types:rescue",
    "types:protocols",
  ],
  "tolerant-reader": [
    "events",
    "types:fast-path",
    "types:parts",
    "assembly",
    "framing",
    "odd-frames",
    "types:protocols",
    "base-reader",
    "types:reader-options",
  ],
  read: ["events", "sources", "types:reader"],
  wire: ["sources", "types:framing", "types:reader", "read", "types:protocols"],
  "bare-wire": ["types:protocols", "tolerant-reader", "wire"],
  "one-wire": ["types:events", "collect", "types:read", "types:reader", "types:sources", "types:wire"],
  "full-wire": ["parts", "types:protocols", "tolerant-reader", "wire"],
  "wire-finder": ["assembly", "framing", "odd-frames", "protocols", "types:tolerant-reader"],
  "any-wire": [
    "sources",
    "parts",
    "protocols",
    "types:reader",
    "tolerant-reader",
    "read",
    "types:wire",
    "full-wire",
    "wire-finder",
  ],
  strict: [
    "json",
    "framing",
    "events",
    "wire-values",
    "defined",
    "kinds",
    "assembly",
    "odd-frames",
    "one-wire",
    "protocols",
    "types:reader-options",
    "types:reader",
    "base-reader",
    "wire",
  ],
  harness: ["events", "json", "kinds", "turns", "failure", "parts", "types:sources", "types:reader", "types:wire"],
  models: ["harness", "protocols", "turns", "types:wire", "full-wire", "types:sources"],
  mcp: ["types:events", "harness", "types:turns"],
  telemetry: ["types:events", "harness", "types:turns"],
  entries: ["types:events", "protocols", "types:wire", "bare-wire", "one-wire", "turns", "harness"],
  index: ["one-wire", "any-wire", "types:parts", "types:framing", "types:protocols", "assembly"],
};

/** What the entry of telemetry is about. Nothing else may load it. */
const OTEL = "@opentelemetry/api";

interface Import {
  readonly file: string;
  readonly from: string;
  readonly typeOnly: boolean;
}

/** The library's own files, tests aside, from `src`. */
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !/\.test(-[a-z]+)?\.ts$/.test(file))
  .toSorted();

function text(file: string): string {
  return readFileSync(join(src, file), "utf8");
}

/** Statements begin at the start of a line; examples in comments do not. */
function importsOf(file: string): Import[] {
  const statements = text(file).matchAll(/^(import|export)\b(\s+type\b)?(?:[^;"'`]*?\bfrom)?\s*["']([^"']+)["']/gm);
  return [...statements].map(([, , type, from = ""]) => ({ file, from, typeOnly: type !== undefined }));
}

const imports = files.flatMap(importsOf);

function roomOf(file: string): string {
  return file.includes("/") ? (file.split("/")[0] ?? "") : file.replace(/\.ts$/, "");
}

function targetOf({ file, from }: Import): string {
  return posix.normalize(posix.join(posix.dirname(file), from));
}

/** Every name that a file exports. */
function exportsOf(file: string): string[] {
  const code = text(file);
  const declared = [
    ...code.matchAll(
      /^export (?:declare )?(?:abstract )?(?:const|function\*?|async function|class|interface|type|enum) ([A-Za-z_$][\w$]*)\b/gm,
    ),
  ];
  const listed = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .replace(/^.* as /, ""),
      )
      .filter((name) => name !== ""),
  );
  const passedOn = [...code.matchAll(/^export (?:type )?\* from "([^"]+)"/gm)].flatMap(([, from = ""]) =>
    exportsOf(posix.normalize(posix.join(posix.dirname(file), from))),
  );
  return [...declared.map(([, name = ""]) => name), ...listed, ...passedOn].toSorted();
}

function sourceOf(built: string): string {
  return built.replace("./dist/", "").replace(/\.js$/, ".ts");
}

describe("the public surface", () => {
  test("has exactly these entries", () => {
    expect(Object.keys(manifest.exports)).toEqual(Object.keys(SURFACE));
  });

  test.each(Object.entries(SURFACE))("of unbraid %s is exactly this", (entry, names) => {
    const built = manifest.exports[entry]?.default ?? "";
    expect(manifest.exports[entry]?.types).toBe(built.replace(/\.js$/, ".d.ts"));
    expect(exportsOf(sourceOf(built))).toEqual(names.toSorted());
  });

  test.each(Object.entries(SURFACE))("of unbraid %s at run time is that without its types", async (entry, names) => {
    const file = sourceOf(manifest.exports[entry]?.default ?? "");
    const values = Object.keys((await import(/* @vite-ignore */ join(src, file))) as object);
    expect(values.every((name) => names.includes(name))).toBe(true);
    // Types begin with a capital letter; so do classes.
    expect(values).toEqual(expect.arrayContaining(names.filter((name) => /^[a-z]/.test(name))));
  });

  test("needs nothing else to be installed", () => {
    expect(manifest.dependencies).toBeUndefined();
    for (const peer of Object.keys(manifest.peerDependencies ?? {}))
      expect(manifest.peerDependenciesMeta?.[peer]?.optional, `${peer} is optional`).toBe(true);
  });
});

describe("the layers", () => {
  test("hold all files", () => {
    expect(files.length).toBeGreaterThan(40);
    expect([...new Set(files.map(roomOf))].filter((room) => !Object.hasOwn(MAY_IMPORT, room))).toEqual([]);
  });

  test("import files of the library alone: no package but the one peer of telemetry, nothing of Node", () => {
    expect(imports.length).toBeGreaterThan(100);
    const outside = imports.filter(({ from }) => !/^\.\.?\//.test(from));
    expect(outside.filter(({ file, from }) => roomOf(file) !== "telemetry" || from !== OTEL)).toEqual([]);
    expect(Object.keys(manifest.peerDependencies ?? {})).toContain(OTEL);
    expect(imports.filter((each) => each.from !== OTEL && !files.includes(targetOf(each)))).toEqual([]);
  });

  test("load optional peers on demand, in the harness, and nothing else", () => {
    for (const file of files) {
      const loads = [...text(file).matchAll(/^[^*/]*\b(?:import|require)\(([^)]*)\)/gm)].map(([, from = ""]) => from);
      if (roomOf(file) !== "harness") expect(loads, file).toEqual([]);
      for (const from of loads) {
        const [peer] = /(?:@[^/"]+\/)?[^/"]+/.exec(from.slice(1)) ?? [];
        expect(Object.keys(manifest.peerDependencies ?? {}), `${file}: ${from}`).toContain(peer);
      }
    }
  });

  test.each(Object.keys(MAY_IMPORT))("%s imports only what lies below it", (room) => {
    const order = Object.keys(MAY_IMPORT);
    const allowed = MAY_IMPORT[room] ?? [];
    const wrong = imports
      .filter(({ file }) => roomOf(file) === room)
      .map((each) => ({ ...each, to: roomOf(targetOf(each)) }))
      .filter(({ to, typeOnly }) => {
        return to !== room && !allowed.includes(to) && !(typeOnly && allowed.includes(`types:${to}`));
      });
    expect(wrong.map(({ file, from, typeOnly }) => `${file}: ${typeOnly ? "types of " : ""}${from}`)).toEqual([]);
    for (const lower of allowed) {
      expect(order.indexOf(lower.replace("types:", "")), `${room} may not import ${lower}`).toBeLessThan(
        order.indexOf(room),
      );
    }
  });

  test("go in no circle, file by file", () => {
    const state = new Map<string, "open" | "closed">();
    const walk = (file: string, path: readonly string[]): void => {
      if (state.get(file) === "closed") return;
      expect(path, `a circle: ${[...path, file].join(" → ")}`).not.toContain(file);
      for (const each of imports.filter((one) => one.file === file && !one.typeOnly))
        walk(targetOf(each), [...path, file]);
      state.set(file, "closed");
    };
    for (const file of files) walk(file, []);
  });

  test("say in the first lines of each file what it owns", () => {
    for (const file of files) expect(text(file).slice(0, 3), file).toBe("// ");
  });
});
