// The recordings of real responses, where they are. They are other people's data, so they lie outside of the repository
// and no test may need them.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SdkProtocol } from "./clients.test-kit.ts";

/** A call as it is known to be right. */
interface ExpectedCall {
  readonly id: string | null;
  readonly name: string;
  readonly argumentsText: string | null;
  readonly arguments: unknown;
  readonly complete: boolean;
  readonly kind: string;
  readonly choice?: number;
  readonly streamedArgs?: boolean;
}

/** What is known of a recording. */
export interface Expected {
  readonly calls: readonly ExpectedCall[];
  readonly finish: string | null;
  /** Every finish word, where there are several. */
  readonly finishAll?: readonly string[];
  readonly oracle: string;
  readonly disagreements: readonly {
    readonly oracle: string;
    readonly got?: unknown;
    readonly error?: string | null;
  }[];
  readonly error?: unknown;
}

/** One recorded response. */
export interface Recording {
  readonly file: string;
  readonly protocol: SdkProtocol;
  readonly authenticity: string;
  readonly body: Buffer;
  readonly expected: Expected;
}

const corpus = fileURLToPath(new URL("../../../../../shared/conformance/corpus/", import.meta.url));

/** The variants that an SDK can be given: SSE from an HTTP answer. */
const VARIANTS = new Set([
  "chat.completions",
  "openai-chat-sse",
  "openai-responses",
  "anthropic",
  "generateContent-sse",
]);

/** Whether they are here. */
export const recordingsAreHere = existsSync(corpus);

/** Said once where they are not. */
export const RECORDINGS_ABSENT =
  "SKIPPED, and that is no failure, in CI neither: the recordings in ../shared/conformance/corpus are not here. " +
  "They are other people's data and never part of this repository, so the SDKs were not compared with us on them.";

/** All of them; none where they are not here. */
export function recordings(): Recording[] {
  if (!recordingsAreHere) return [];
  const lines = readFileSync(`${corpus}MANIFEST.jsonl`, "utf8").trim().split("\n");
  return lines
    .map((line) => JSON.parse(line) as { file: string; protocol: string; variant: string; authenticity: string })
    .filter(({ variant }) => VARIANTS.has(variant))
    .map(({ file, protocol, authenticity }) => ({
      file,
      protocol: protocol as SdkProtocol,
      authenticity,
      body: readFileSync(corpus + file),
      expected: JSON.parse(readFileSync(`${corpus}${file}.expected.json`, "utf8")) as Expected,
    }));
}
