// A body to attach to a bug report. Owns the asking for it and the words about it; the reduction is the reduce room's.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visibleBytes } from "../../model/visible.ts";
import { type Reduced, reduce } from "../../reduce/reduce.ts";
import { USE_WORDS } from "../../reduce/redact.ts";
import { useChanges } from "../observable.ts";
import type { Player } from "../player.ts";
import { bytesWords, counted } from "../words.ts";
import { CopyButton } from "./copy-button.tsx";
import { plainWords, Segments } from "./plain.tsx";

/** Milliseconds of work between two breaths of the page. */
const BREATH = 24;
/** Bytes that are shown. */
const MAX_SHOWN = 20_000;

type Work =
  | { readonly state: "idle" }
  | { readonly state: "working"; readonly trials: number }
  | { readonly state: "done"; readonly reduced: Reduced };

/** The panel. */
export function ReportPanel({ player }: { readonly player: Player }): VNode {
  useChanges(player);
  const { recording } = player;
  const [work, setWork] = useState<Work>({ state: "idle" });
  const left = useRef(false);
  useEffect(() => () => void (left.current = true), []);
  const start = async (): Promise<void> => {
    setWork({ state: "working", trials: 0 });
    let breathed = performance.now();
    try {
      const reduced = await reduce(recording, {
        pause: async (trials) => {
          if (performance.now() - breathed < BREATH) return;
          setWork({ state: "working", trials });
          await new Promise((resolve) => setTimeout(resolve));
          if (left.current) throw new Left();
          breathed = performance.now();
        },
      });
      setWork({ state: "done", reduced });
    } catch (error) {
      if (!(error instanceof Left)) throw error;
    }
  };
  return (
    <div class="report">
      <p>
        The smallest body that still goes wrong in the same way: frames left out, texts made short, contents, names and
        ids exchanged. Every step is read again and kept only while the calls end as before and the notices stay the
        same.
      </p>
      {work.state !== "done" && (
        <button
          type="button"
          class="button primary"
          disabled={work.state === "working" || !recording.over}
          onClick={() => void start()}
        >
          {work.state === "working" ? `Reading … ${counted(work.trials, "trial")}` : "Make a body for a report"}
        </button>
      )}
      {!recording.over && <p class="dim">When the response has ended.</p>}
      {work.state === "done" && <Result reduced={work.reduced} player={player} />}
    </div>
  );
}

class Left extends Error {}

function Result({ reduced, player }: { readonly reduced: Reduced; readonly player: Player }): VNode {
  const { recording } = player;
  const { body, frames, redacted, kept } = reduced;
  const binary = recording.framing === "aws-event-stream";
  const present = kept.filter(
    (each) => each !== "value" || recording.protocol === "gemini" || recording.protocol === "ollama",
  );
  const { protocol, tools } = recording.options;
  const needed = [
    protocol === undefined ? "" : `as ${protocol}`,
    tools === undefined ? "" : `with the tools ${tools.map((tool) => plainWords(tool.name)).join(", ")}`,
  ]
    .filter((each) => each !== "")
    .join(", ");
  const name = `report.${recording.protocol ?? "unknown"}.${endingOf(recording.framing)}`;
  return (
    <>
      <p role="status">
        <b>
          {counted(frames.before, "frame")} → {frames.after}
        </b>
        , {bytesWords(recording.bytes.length)} → {bytesWords(body.length)}, in {counted(reduced.trials, "trial")}. The
        finding is the same.
      </p>
      <p>
        Exchanged: {redacted.length === 0 ? "nothing" : redacted.map((each) => USE_WORDS[each]).join(", ")}.
        {present.length > 0 && (
          <span class="warn">
            {" "}
            Not exchanged, because the finding hangs on it: {present.map((each) => USE_WORDS[each]).join(", ")}.
          </span>
        )}{" "}
        Look it through before you send it to anybody.{needed === "" ? "" : ` It is read ${needed}: say so.`}
      </p>
      <p class="row">
        {!binary && <CopyButton text={() => new TextDecoder().decode(body)} />}
        <button type="button" class="button" onClick={() => save(body, name)}>
          Save as {name}
        </button>
      </p>
      <pre class="raw" tabIndex={0} aria-label="The reduced body">
        <Segments segments={visibleBytes(body.subarray(0, MAX_SHOWN))} />
        {body.length > MAX_SHOWN && (
          <span class="dim">
            {"\n"}… {bytesWords(body.length - MAX_SHOWN)} more
          </span>
        )}
      </pre>
    </>
  );
}

function endingOf(framing: string | undefined): string {
  switch (framing) {
    case "sse":
      return "sse";
    case "ndjson":
      return "ndjson";
    case "json":
    case "json-array":
      return "json";
    case "aws-event-stream":
      return "eventstream";
    default:
      return "txt";
  }
}

function save(body: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([body], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
