// The time line on the page: names of the lanes beside a picture. Owns its size, its scrolling and the pointer; the picture
// is time-line-paint.ts.

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Lane } from "../../model/lane.ts";
import { positionOf, timeWords } from "../../model/time-line.ts";
import { useChanges } from "../observable.ts";
import type { Player } from "../player.ts";
import { theme } from "../theme.ts";
import {
  coloursOf,
  gapsOf,
  HEAD,
  laneColour,
  paintLanes,
  paintMoment,
  type Picture,
  ROWS,
} from "../time-line-paint.ts";
import { counted, laneName } from "../words.ts";
import { Plain, plainWords } from "./plain.tsx";

/** Lanes that are in sight at once. */
const MAX_LANES = 9;

/** The time line. */
export function TimeLine({ player }: { readonly player: Player }): VNode {
  useChanges(player);
  const box = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const top = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [scroll, setScroll] = useState(0);
  const [shownTheme, setTheme] = useState(theme);
  const { recording, view, axis } = player;
  const lanes = recording.lanes;
  const shownLanes = Math.min(MAX_LANES, Math.max(1, lanes.length));
  const height = HEAD + shownLanes * ROWS.lane + 4;

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const resized = new ResizeObserver(() => setWidth(element.clientWidth));
    resized.observe(element);
    const themed = new MutationObserver(() => setTheme(theme()));
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      resized.disconnect();
      themed.disconnect();
    };
  }, []);

  // The style sheet's colours are asked for once a theme, not once a frame.
  const colours = useMemo(() => coloursOf(document.documentElement), [shownTheme]);
  const laneGaps = useMemo(() => gapsOf(player), [recording.revision, axis]);

  const pictureOf = (canvas: HTMLCanvasElement | null): Picture | undefined => {
    const context = canvas?.getContext("2d");
    if (canvas === null || context === null || context === undefined || width === 0) return undefined;
    const ratio = devicePixelRatio;
    const wanted = [Math.round(width * ratio), Math.round(height * ratio)] as const;
    if (canvas.width !== wanted[0] || canvas.height !== wanted[1]) [canvas.width, canvas.height] = wanted;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { context, width, height, scroll, colours };
  };

  useLayoutEffect(() => {
    const picture = pictureOf(base.current);
    if (picture !== undefined && base.current !== null)
      base.current.dataset["shapes"] = String(paintLanes(picture, player, laneGaps));
  }, [width, height, scroll, colours, view, axis, recording.revision]);

  useLayoutEffect(() => {
    const picture = pictureOf(top.current);
    if (picture !== undefined) paintMoment(picture, player);
  }, [width, height, colours, view, axis, recording.revision, player.frame, player.position]);

  // The same elements as long as nothing in them changes: there may be a thousand, and the moment changes 60 times a second.
  const names = useMemo(
    () => lanes.map((lane) => <LaneName key={lane.id} lane={lane} player={player} />),
    [recording.revision, player.lane],
  );

  const toPointer = (event: PointerEvent): void => {
    const left = box.current?.getBoundingClientRect().left ?? 0;
    player.toPosition(positionOf(Math.max(0, Math.min(width, event.clientX - left)), view, width));
  };

  return (
    <div class="time-line" style={{ height: `${height}px` }}>
      <div class="lane-names" onScroll={(event) => setScroll(event.currentTarget.scrollTop)}>
        <div class="lane-head" style={{ height: `${HEAD}px` }}>
          <span>{axis === "time" ? "time" : "frame"}</span>
          <span>notices</span>
          <span>bytes</span>
        </div>
        {names}
      </div>
      <div
        ref={box}
        class="picture"
        onPointerDown={(event) => {
          player.pause();
          event.currentTarget.setPointerCapture(event.pointerId);
          toPointer(event);
        }}
        onPointerMove={(event) => event.buttons === 1 && toPointer(event)}
        onWheel={(event) => {
          const left = box.current?.getBoundingClientRect().left ?? 0;
          if (event.ctrlKey) {
            event.preventDefault();
            player.zoom(event.deltaY > 0 ? 1.25 : 0.8, positionOf(event.clientX - left, view, width));
          } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            event.preventDefault();
            player.pan((event.deltaX || event.deltaY) / Math.max(1, width));
          }
        }}
      >
        <canvas ref={base} role="img" aria-label={pictureWords(player)} />
        <canvas ref={top} aria-hidden="true" />
      </div>
    </div>
  );
}

function pictureWords({ recording }: Player): string {
  const spans = recording.timed ? ` over ${timeWords(recording.duration)}` : "";
  return `Time line: ${counted(recording.lanes.length, "lane")}, ${counted(recording.frames, "frame")}${spans}, ${counted(recording.pins.length, "pin")}`;
}

function LaneName({ lane, player }: { readonly lane: Lane; readonly player: Player }): VNode {
  const colour = laneColour(lane);
  const name = laneName(lane);
  return (
    <button
      type="button"
      class={`lane-name lane-colour-${colour ?? "none"}`}
      style={{ height: `${ROWS.lane}px` }}
      aria-pressed={player.lane === lane.id}
      title={`${plainWords(name)}: ${counted(lane.marks, "fragment")}`}
      onClick={() => player.choose(player.lane === lane.id ? undefined : lane.id)}
    >
      <span class="swatch">{lane.kind === "call" ? lane.number : ""}</span>
      <span class="lane-word">
        <Plain text={name.slice(0, 80)} />
      </span>
      <span class="dim lane-count">{lane.marks.toLocaleString("en")}</span>
    </button>
  );
}
