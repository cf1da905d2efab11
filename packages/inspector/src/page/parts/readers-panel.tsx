// What other readers make of the same bytes, beside what is right. Owns the marks of the differences; the readers and the
// judgement are the analysis room's.

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { runnable } from "unbraid";
import { compare, type Comparison, type OwnCall } from "../../analysis/naive/compare.ts";
import { grouped } from "../../analysis/naive/group.ts";
import { NaiveTap } from "../../analysis/naive/tap.ts";
import type { Recording } from "../../model/recording.ts";
import { useChanges } from "../observable.ts";
import type { Player } from "../player.ts";
import { laneColour } from "../time-line-paint.ts";
import { counted } from "../words.ts";
import { Plain } from "./plain.tsx";

/** UTF-16 units around a difference that are shown. */
const AROUND = 160;
const MAX_ROWS = 60;

interface Reading {
  readonly key: string;
  readonly list: readonly Comparison[];
}

/** The panel. */
export function ReadersPanel({ player }: { readonly player: Player }): VNode {
  useChanges(player);
  const { recording } = player;
  const { over } = recording;
  const readings = useMemo(() => (over ? readingsOf(recording) : []), [recording, over]);
  if (!over) return <p class="empty">When the response has ended.</p>;
  if (readings.length === 0)
    return (
      <p class="empty">
        Nobody reads this wire by adding up lines of text
        {recording.protocol === undefined ? "" : ` (${recording.protocol})`}: there is nothing to compare.
      </p>
    );
  return (
    <div class="readers">
      <p class="dim">
        Two ways in which many clients put calls together, on the same bytes. They are not wrong about every stream;
        where they are, this is what they would do.
      </p>
      {readings.map((reading) => (
        <ReadingView key={reading.key} reading={reading} recording={recording} />
      ))}
    </div>
  );
}

function readingsOf(recording: Recording): readonly Reading[] {
  const tap = new NaiveTap();
  tap.push(recording.bytes.slice(0, recording.bytes.length));
  const rows = recording.lanes
    .filter(({ call }) => call !== undefined)
    .map((lane): OwnCall => ({
      number: lane.number,
      call: lane.closed ?? (lane.call as OwnCall["call"]),
      retracted: lane.retracted,
      text: lane.closed?.argumentsText ?? lane.text,
    }));
  const mayRun = new Set(runnable(recording.collected));
  return tap.results(recording.protocol ?? null).map(({ key, calls }) => ({ key, list: compare(rows, calls, mayRun) }));
}

function ReadingView({ reading, recording }: { readonly reading: Reading; readonly recording: Recording }): VNode {
  const { key, list } = reading;
  const harm = list.filter((each) => each.harm).length;
  const right = list.every(({ verdict, words }) => verdict === "same" && words === "");
  const groups = grouped(list);
  return (
    <section class="reading" aria-label={`By ${key}`}>
      <h3>
        By {key}
        <span class="spring" />
        <span class={`chip ${right ? "good" : "bad"}`}>
          {right ? "the same" : harm === 0 ? "differs" : `would run ${counted(harm, "call")} wrongly`}
        </span>
      </h3>
      {list.length === 0 && <p class="dim">No calls, here as there.</p>}
      {groups.slice(0, MAX_ROWS).map(({ comparison, count }, at) => (
        <ComparisonView key={at} comparison={comparison} count={count} recording={recording} />
      ))}
      {groups.length > MAX_ROWS && <p class="dim">{counted(groups.length - MAX_ROWS, "more difference")}</p>}
    </section>
  );
}

const SIGNS = { same: "=", differs: "≠", extra: "+", missed: "−" } as const;

function ComparisonView(props: {
  readonly comparison: Comparison;
  readonly count: number;
  readonly recording: Recording;
}): VNode {
  const { comparison, count, recording } = props;
  const { ours, naive, verdict, harm, words, offset } = comparison;
  const lane = ours === undefined ? undefined : recording.lane(ours.call.key);
  const bad = verdict !== "same";
  return (
    <div class={`comparison lane-colour-${(lane && laneColour(lane)) ?? "none"}`}>
      <span class={bad ? (harm ? "bad sign-word" : "warn sign-word") : "good sign-word"}>{SIGNS[verdict]}</span>
      {lane !== undefined && <span class="swatch small">{lane.number}</span>}
      <b>
        <Plain text={naive?.name ?? ours?.call.name ?? "(no name)"} />
      </b>
      <span class={bad ? (harm ? "bad" : "warn") : "dim"}>
        <Plain text={words === "" ? "right" : words} />
        {count > 1 && `, and ${count - 1} more like it`}
      </span>
      {naive !== undefined && (
        <code>
          <Text text={naive.text} offset={offset} />
        </code>
      )}
      {bad && ours !== undefined && naive !== undefined && offset !== undefined && (
        <code class="ours">
          <span class="dim">right: </span>
          <Text text={ours.text} offset={undefined} />
        </code>
      )}
    </div>
  );
}

function Text({ text, offset }: { readonly text: string; readonly offset: number | undefined }): VNode {
  if (text === "") return <span class="dim">(no argument text)</span>;
  const from = offset === undefined ? 0 : Math.max(0, offset - AROUND);
  const split = offset ?? text.length;
  const end = Math.min(text.length, offset === undefined ? 2 * AROUND : split + AROUND);
  return (
    <>
      {from > 0 && "…"}
      <Plain text={text.slice(from, Math.min(split, end))} />
      {offset !== undefined && (
        <mark class="wrong">
          <Plain text={split >= text.length ? " " : text.slice(split, end)} />
        </mark>
      )}
      {end < text.length && "…"}
    </>
  );
}
