// The frames of the body, and of the one that is looked at its bytes beside what became of them. Owns the pairing: each
// selects the other.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { StreamEvent } from "unbraid";
import type { Recording } from "../../model/recording.ts";
import { type Segment, visibleBytes } from "../../model/visible.ts";
import { timeWords } from "../../model/time-line.ts";
import { useChanges } from "../observable.ts";
import type { Player } from "../player.ts";
import { laneColour } from "../time-line-paint.ts";
import { bytesWords, counted, droppedWords, eventText, eventWord, laneName } from "../words.ts";
import { CopyButton } from "./copy-button.tsx";
import { Plain, plainWords, Segments } from "./plain.tsx";
import { VirtualList } from "./virtual-list.tsx";

const ROW = 26;
/** Bytes of a frame that are shown. */
const MAX_BYTES = 12_000;
/** Events of a frame that are listed. */
const MAX_EVENTS = 100;
/** Events of a frame that its line names. */
const MAX_NAMED = 4;

/** The panel. */
export function WirePanel({ player }: { readonly player: Player }): VNode {
  useChanges(player);
  const { recording, frame } = player;
  return (
    <div class="wire">
      <VirtualList
        class="frames"
        role="listbox"
        label="Frames"
        count={recording.frames}
        rowHeight={ROW}
        reveal={frame}
        row={(at) => <FrameRow at={at} player={player} />}
      />
      {frame < 0 ? (
        <p class="empty">No frame has come yet.</p>
      ) : (
        <FrameDetail key={frame} player={player} frame={frame} />
      )}
    </div>
  );
}

function FrameRow({ at, player }: { readonly at: number; readonly player: Player }): VNode {
  const { recording } = player;
  const events = recording.eventsOf(at);
  const size = recording.frameEnds.at(at) - recording.frameStarts.at(at);
  return (
    <button
      type="button"
      role="option"
      tabIndex={-1}
      class={`frame ${at > player.frame ? "future" : ""}`}
      aria-selected={at === player.frame}
      onClick={() => {
        player.pause();
        player.toFrame(at);
      }}
    >
      <span class="dim number">{at}</span>
      {recording.timed && <span class="dim time">{timeWords(recording.frameTimes.at(at))}</span>}
      <span class="dim size">{bytesWords(size)}</span>
      <span class="became">
        {events.slice(0, MAX_NAMED).map((event, index) => (
          <EventWords key={index} event={event} recording={recording} />
        ))}
        {events.length > MAX_NAMED && <span class="dim">+{events.length - MAX_NAMED}</span>}
        {events.length === 0 && <span class="dim">nothing said</span>}
      </span>
    </button>
  );
}

/** An event in a few words: its lane, what it did, the beginning of its text. */
function EventWords({ event, recording }: { readonly event: StreamEvent; readonly recording: Recording }): VNode {
  const lane = recording.laneOf(event);
  const text = event.type === "notice" || event.type === "response" ? undefined : eventText(event);
  return (
    <span class={`event ${lookOf(event)} lane-colour-${(lane && laneColour(lane)) ?? "none"}`}>
      {lane?.kind === "call" && <span class="swatch small">{lane.number}</span>}
      {event.type === "notice" && "◆ "}
      {eventWord(event)}
      {text !== undefined && text !== "" && (
        <code>
          <Plain text={text.slice(0, 48)} />
        </code>
      )}
    </span>
  );
}

function lookOf(event: StreamEvent): string {
  if (event.type === "notice") return "warn";
  return event.type === "error" ? "bad" : "";
}

function FrameDetail({ player, frame }: { readonly player: Player; readonly frame: number }): VNode {
  const { recording } = player;
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const start = recording.frameStarts.at(frame);
  const end = recording.frameEnds.at(frame);
  const events = recording.eventsOf(frame);
  const before = frame === 0 ? 0 : recording.frameEnds.at(frame - 1);
  const shownEnd = Math.min(end, start + MAX_BYTES);
  const raw = recording.bytes.slice(start, shownEnd);
  const between = recording.bytes.slice(Math.max(before, start - 500), start);
  const light = chosen === undefined ? onlyText(events) : eventText(events[chosen] as StreamEvent);
  return (
    <div class="frame-detail">
      <div class="half">
        <h3>
          Frame {frame}
          <span class="dim">
            bytes {start.toLocaleString("en")}–{end.toLocaleString("en")}
          </span>
          <span class="spring" />
          <CopyButton text={() => new TextDecoder().decode(recording.bytes.slice(start, end))} />
        </h3>
        <pre class="raw" tabIndex={0} aria-label={`Bytes of frame ${frame}`}>
          {between.length > 0 && (
            <span class="between" title="Between the frames">
              <Segments segments={visibleBytes(between)} />
            </span>
          )}
          <Lit
            segments={visibleBytes(
              raw,
              recording.bytes.cuts(start, shownEnd).map((cut) => cut - start),
            )}
            light={light}
          />
          {shownEnd < end && (
            <span class="dim">
              {"\n"}… {bytesWords(end - shownEnd)} more
            </span>
          )}
        </pre>
      </div>
      <div class="half">
        <h3>What became of it</h3>
        {events.length === 0 && <p class="dim">Nothing is said of this frame: it adds nothing that a client needs.</p>}
        <ol class="events">
          {events.slice(0, MAX_EVENTS).map((event, at) => (
            <li key={at}>
              <EventDetail
                event={event}
                player={player}
                chosen={chosen === at}
                onChoose={() => setChosen(chosen === at ? undefined : at)}
              />
            </li>
          ))}
        </ol>
        {events.length > MAX_EVENTS && <p class="dim">{counted(events.length - MAX_EVENTS, "more event")}</p>}
      </div>
    </div>
  );
}

/** The text of the only event that has one. */
function onlyText(events: readonly StreamEvent[]): string | undefined {
  const said = events.filter(
    (event) => event.type === "call.append" || event.type === "text" || event.type === "reasoning",
  );
  const [only] = said;
  return said.length === 1 && only !== undefined ? eventText(only) : undefined;
}

function EventDetail(props: {
  readonly event: StreamEvent;
  readonly player: Player;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}): VNode {
  const { event, player, chosen, onChoose } = props;
  const lane = player.recording.laneOf(event);
  const text = eventText(event);
  const dropped = event.type === "notice" ? droppedWords(event) : undefined;
  return (
    <button
      type="button"
      class={`event-detail ${lookOf(event)} lane-colour-${(lane && laneColour(lane)) ?? "none"}`}
      aria-pressed={chosen}
      onClick={() => {
        onChoose();
        if (lane !== undefined) player.choose(player.lane === lane.id && chosen ? undefined : player.lane);
      }}
    >
      <span class="event-head">
        {lane !== undefined && <span class="swatch small">{lane.kind === "call" ? lane.number : ""}</span>}
        {lane !== undefined && (
          <b>
            <Plain text={laneName(lane).slice(0, 60)} />
          </b>
        )}
        <span>{plainWords(eventWord(event))}</span>
      </span>
      {text !== undefined && text !== "" && (
        <code>
          <Plain text={text.slice(0, 1500)} />
        </code>
      )}
      {dropped !== undefined && (
        <code class="dropped">
          <Plain text={dropped.slice(0, 1500)} />
        </code>
      )}
    </button>
  );
}

/** Segments with one text in them lit, as it stands there: plain, or escaped as a JSON string. */
function Lit({
  segments,
  light,
}: {
  readonly segments: readonly Segment[];
  readonly light: string | undefined;
}): VNode {
  if (light === undefined || light === "") return <Segments segments={segments} />;
  const escaped = JSON.stringify(light).slice(1, -1);
  const needles = [JSON.stringify(escaped).slice(1, -1), escaped, light];
  for (const [at, { kind, text }] of segments.entries()) {
    if (kind !== "text") continue;
    const needle = needles.find((each) => text.includes(each));
    if (needle === undefined) continue;
    // The last one: names of fields come before their values.
    const from = text.lastIndexOf(needle);
    return (
      <>
        <Segments segments={segments.slice(0, at)} />
        {text.slice(0, from)}
        <mark>{needle}</mark>
        {text.slice(from + needle.length)}
        <Segments segments={segments.slice(at + 1)} />
      </>
    );
  }
  return <Segments segments={segments} />;
}
