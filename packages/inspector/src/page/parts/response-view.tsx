// One response. Owns the order of its panels and which of the tabs is open.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { AppState, Opened } from "../app-state.ts";
import type { Pin } from "../../model/recording.ts";
import { timeWords } from "../../model/time-line.ts";
import { useChanges } from "../observable.ts";
import type { Player } from "../player.ts";
import { bytesWords, counted } from "../words.ts";
import { MomentPanel } from "./moment-panel.tsx";
import { Plain } from "./plain.tsx";
import { ReadersPanel } from "./readers-panel.tsx";
import { ReportPanel } from "./report-panel.tsx";
import { Finish } from "./response-list.tsx";
import { TimeLine } from "./time-line.tsx";
import { Transport } from "./transport.tsx";
import { TurnPanel } from "./turn-panel.tsx";
import { WirePanel } from "./wire-panel.tsx";

type OpenedResponse = Extract<Opened, { readonly state: "open" }>;

const TABS = [
  ["wire", "Frames"],
  ["readers", "Other readers"],
  ["turn", "Turn"],
  ["report", "Report"],
] as const;

/** The response. */
export function ResponseView({ opened, state }: { readonly opened: OpenedResponse; readonly state: AppState }): VNode {
  const { player, lesson, id } = opened;
  useChanges(player);
  const [tab, setTab] = useState<(typeof TABS)[number][0]>("wire");
  const entry = state.entries.get(id);
  return (
    <article class="response">
      <header class="title">
        <a class="back" href="#/" aria-label="To the list">
          ‹
        </a>
        <h1>{lesson === undefined ? <Name name={entry?.name ?? id} live={entry?.live === true} /> : lesson.title}</h1>
        <Facts player={player} failure={entry?.failure ?? null} />
      </header>
      {lesson !== undefined && (
        <section class="lesson" aria-label="What to watch">
          <p>{lesson.story}</p>
          <ul>
            {lesson.watch.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      )}
      <section class="panel stage" aria-label="Time line">
        <Transport player={player} />
        <TimeLine player={player} />
        <Pins player={player} />
      </section>
      <div class="split">
        <MomentPanel player={player} />
        <section class="panel tabs" aria-label="Details">
          <div class="tab-list" role="tablist">
            {TABS.map(([name, words]) => (
              <button
                key={name}
                id={`tab-${name}`}
                type="button"
                role="tab"
                aria-selected={tab === name}
                aria-controls="tab-panel"
                onClick={() => setTab(name)}
              >
                {words}
              </button>
            ))}
          </div>
          <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} class="tab-panel">
            {tab === "wire" && <WirePanel player={player} />}
            {tab === "readers" && <ReadersPanel player={player} />}
            {tab === "turn" && <TurnPanel player={player} />}
            {tab === "report" && <ReportPanel player={player} />}
          </div>
        </section>
      </div>
    </article>
  );
}

/** A path with its last part set off; what a live response is called has no parts. */
function Name({ name, live }: { readonly name: string; readonly live: boolean }): VNode {
  const slash = live ? -1 : name.lastIndexOf("/", name.length - 2);
  return (
    <>
      {slash >= 0 && (
        <span class="folder">
          <Plain text={name.slice(0, slash + 1)} />
        </span>
      )}
      <Plain text={name.slice(slash + 1)} />
    </>
  );
}

function Facts({ player, failure }: { readonly player: Player; readonly failure: string | null }): VNode {
  const { recording } = player;
  const { summary } = recording;
  return (
    <div class="facts">
      <span class="chip">{summary.protocol ?? "no known wire"}</span>
      {summary.model !== null && (
        <span class="chip">
          <Plain text={summary.model.slice(0, 80)} />
        </span>
      )}
      <Finish finish={summary.finish} over={recording.over} error={summary.error !== null} />
      <span>{counted(summary.calls, "call")}</span>
      <span>{counted(recording.frames, "frame")}</span>
      <span>{bytesWords(recording.bytes.length)}</span>
      {recording.timed && <span>{timeWords(recording.duration)}</span>}
      {failure !== null && (
        <span class="chip bad">
          <Plain text={failure} />
        </span>
      )}
    </div>
  );
}

const MAX_PINS = 200;

function pinWords(pins: readonly Pin[]): string {
  const errors = pins.filter(({ event }) => event.type === "error").length;
  const notices = pins.length - errors;
  const words = [notices === 0 ? "" : counted(notices, "notice"), errors === 0 ? "" : counted(errors, "error")];
  return words.filter((each) => each !== "").join(", ");
}

/** Notices and errors in words. */
function Pins({ player }: { readonly player: Player }): VNode | null {
  const pins = player.recording.pins.filter(({ event }) => event.type !== "finish");
  if (pins.length === 0) return null;
  return (
    <details class="pins" open={pins.length <= 4}>
      <summary>
        <span class="warn">◆</span> {pinWords(pins)}
      </summary>
      <ol>
        {pins.slice(0, MAX_PINS).map(({ frame, event }, at) => {
          const here = frame === player.frame;
          const message = event.type === "notice" ? event.message : event.type === "error" ? event.error.message : "";
          return (
            <li key={at}>
              <button type="button" class={here ? "pin here" : "pin"} onClick={() => player.toFrame(frame)}>
                <code class={event.type === "error" ? "bad" : "warn"}>
                  {event.type === "notice" ? event.code : "error"}
                </code>
                <span class="dim">frame {frame}</span>
                <Plain text={message.slice(0, 600)} />
              </button>
            </li>
          );
        })}
      </ol>
      {pins.length > MAX_PINS && (
        <p class="dim">{counted(pins.length - MAX_PINS, "more notice")}: use n and p to go through them.</p>
      )}
    </details>
  );
}
