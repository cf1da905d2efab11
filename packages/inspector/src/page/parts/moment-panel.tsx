// How everything stands at the moment: each call's text with its newest fragment lit, its value so far, whether it parses.
// Owns which lanes are shown; a lane's state is found by model/lane.ts.

import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Lane, Moment } from "../../model/lane.ts";
import { visibleText } from "../../model/visible.ts";
import { useChanges } from "../observable.ts";
import type { Player } from "../player.ts";
import { laneColour } from "../time-line-paint.ts";
import { counted, laneName, PARSE_WORDS } from "../words.ts";
import { Plain, Segments } from "./plain.tsx";
import { ValueTree } from "./value-tree.tsx";

/** Lanes that are shown at once: those that changed last. */
const MAX_CARDS = 6;
/** UTF-16 units of a text that are shown: its end. */
const MAX_TEXT = 2400;
/** UTF-16 units of a newest fragment that are shown. */
const MAX_NEWEST = 1200;

/** The panel. */
export function MomentPanel({ player }: { readonly player: Player }): VNode {
  useChanges(player);
  const { recording, frame } = player;
  const chosen = player.lane === undefined ? undefined : recording.lane(player.lane);
  const begun = recording.lanes.filter((lane) => lane.startFrame <= frame);
  const lanes = chosen === undefined ? callsFirst(latest(begun, frame)) : [chosen];
  return (
    <section class="panel moment" aria-label="At this moment">
      <h2>
        At this moment
        {chosen !== undefined && (
          <button type="button" class="button" onClick={() => player.choose(undefined)}>
            show all lanes
          </button>
        )}
      </h2>
      {lanes.length === 0 && (
        <p class="empty">{frame < 0 ? "Nothing has come yet. Press space to play." : "No text and no call yet."}</p>
      )}
      {lanes.map((lane) => (
        <Card key={lane.id} lane={lane} moment={lane.moment(frame)} />
      ))}
      {chosen === undefined && begun.length > lanes.length && (
        <p class="dim">{counted(begun.length - lanes.length, "more lane")}: choose one by its name above.</p>
      )}
    </section>
  );
}

/** Calls are what one looks for. */
function callsFirst(lanes: readonly Lane[]): readonly Lane[] {
  return [...lanes.filter(({ kind }) => kind === "call"), ...lanes.filter(({ kind }) => kind !== "call")];
}

/** The lanes that changed last, in the order of the time line. */
function latest(lanes: readonly Lane[], frame: number): readonly Lane[] {
  if (lanes.length <= MAX_CARDS) return lanes;
  const last = (lane: Lane): number => {
    const marks = lane.frames.upTo(frame);
    const end = lane.endFrame <= frame ? lane.endFrame : -1;
    return Math.max(end, marks === 0 ? lane.startFrame : lane.frames.at(marks - 1));
  };
  const chosen = new Set(lanes.toSorted((a, b) => last(b) - last(a)).slice(0, MAX_CARDS));
  return lanes.filter((lane) => chosen.has(lane));
}

function Card({ lane, moment }: { readonly lane: Lane; readonly moment: Moment }): VNode {
  const { call, kind } = lane;
  const over = moment.phase === "closed";
  const problem = over ? lane.closed?.problem : undefined;
  return (
    <section
      class={`card card-${kind} lane-colour-${laneColour(lane) ?? "none"} phase-${moment.phase}`}
      aria-label={laneName(lane)}
    >
      <h3>
        <span class="swatch">{kind === "call" ? lane.number : ""}</span>
        <code>
          <Plain text={laneName(lane).slice(0, 120)} />
        </code>
        {call !== undefined && (
          <span class="dim id">
            <Plain text={call.id.slice(0, 60)} />
            {call.madeId === true && " (made by us)"}
          </span>
        )}
        <span class="spring" />
        {kind === "call" && <Badges lane={lane} moment={moment} />}
      </h3>
      <div class="card-body">
        <CallText moment={moment} />
        {moment.outline !== undefined && <ValueTree moment={moment} label={laneName(lane)} />}
      </div>
      {problem !== undefined && (
        <p class="problem">
          <b>{problem.code}</b> <Plain text={problem.message} />
        </p>
      )}
      {over && lane.closed?.repair !== undefined && (
        <p class="repair">
          <b>The one reading</b>
          <code>
            <Plain text={lane.closed.repair.argumentsText.slice(0, MAX_TEXT)} />
          </code>
        </p>
      )}
    </section>
  );
}

function Badges({ lane, moment }: { readonly lane: Lane; readonly moment: Moment }): VNode {
  const looks = { fails: "waiting", parses: "good", broken: "bad", text: "" }[moment.parse];
  const status = lane.closed?.status ?? "complete";
  return (
    <>
      <span class={`chip parse ${looks}`}>{PARSE_WORDS[moment.parse]}</span>
      {moment.phase === "open" && <span class="chip">open</span>}
      {moment.phase === "retracted" && <span class="chip bad">taken back: {lane.retracted}</span>}
      {moment.phase === "closed" && <span class={`chip ${status === "complete" ? "good" : "bad"}`}>{status}</span>}
    </>
  );
}

function CallText({ moment: { text, newest, now } }: { readonly moment: Moment }): VNode {
  const from = Math.max(0, Math.min(newest, text.length - MAX_NEWEST) - MAX_TEXT);
  const newestShown = Math.max(newest, text.length - MAX_NEWEST);
  const box = useRef<HTMLPreElement>(null);
  // What is new stands at the end.
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <pre ref={box} class="text" tabIndex={0} aria-label="Text so far">
      {from > 0 && (
        <span class="dim">
          {counted(from, "character")} before …{"\n"}
        </span>
      )}
      <Segments segments={visibleText(text.slice(from, newest))} />
      {newestShown > newest && <span class="dim">… {counted(newestShown - newest, "character")} …</span>}
      <mark class={now ? "now" : "earlier"}>
        <Segments segments={visibleText(text.slice(newestShown))} />
      </mark>
      {text === "" && <span class="dim">no text yet</span>}
    </pre>
  );
}
