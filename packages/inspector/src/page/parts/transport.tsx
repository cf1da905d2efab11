// The scrubber and the buttons beside it. Owns what they say; where the page stands, the player knows.

import type { VNode } from "preact";
import { timeWords } from "../../model/time-line.ts";
import { useChanges } from "../observable.ts";
import { type Player, SPEEDS } from "../player.ts";

/** The bar. */
export function Transport({ player }: { readonly player: Player }): VNode {
  useChanges(player);
  const { recording, frame, playing } = player;
  const last = recording.frames - 1;
  const time = frame < 0 || !recording.timed ? "" : timeWords(recording.frameTimes.at(frame));
  const words = frame < 0 ? "before the first frame" : `frame ${frame} of ${last}${time === "" ? "" : `, ${time}`}`;
  return (
    <div class="transport">
      <div class="buttons" role="group" aria-label="Moments">
        <Step label="Notice before (p)" sign="◆‹" onClick={() => player.toPin(-1)} />
        <Step label="Frame before (←)" sign="‹" onClick={() => player.step(-1)} />
        <button
          type="button"
          class="play"
          aria-label={playing ? "Stop" : "Play"}
          title={playing ? "Stop (space)" : "Play (space)"}
          onClick={() => player.toggle()}
        >
          {playing ? <PauseSign /> : <PlaySign />}
        </button>
        <Step label="Next frame (→)" sign="›" onClick={() => player.step(1)} />
        <Step label="Next notice (n)" sign="›◆" onClick={() => player.toPin(1)} />
      </div>
      <input
        class="scrubber"
        type="range"
        min={-1}
        max={Math.max(0, last)}
        step={1}
        value={frame}
        aria-label="Frame"
        aria-valuetext={words}
        onInput={(event) => {
          player.pause();
          player.toFrame(Number(event.currentTarget.value));
        }}
      />
      <output class="where" aria-live={playing ? "off" : "polite"}>
        <span>
          {frame < 0 ? "–" : frame.toLocaleString("en")}
          <span class="dim"> / {Math.max(0, last).toLocaleString("en")}</span>
        </span>
        <span class="dim">{time}</span>
      </output>
      <select
        aria-label="Speed"
        value={String(player.speed)}
        onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
      {recording.timed && (
        <button
          type="button"
          class="button"
          title="What the time line shows"
          onClick={() => player.setAxis(player.axis === "time" ? "frame" : "time")}
        >
          by {player.axis}
        </button>
      )}
      <div class="buttons" role="group" aria-label="Zoom">
        <Step label="See less (+)" sign="+" onClick={() => player.zoom(0.5)} />
        <Step label="See more (−)" sign="−" onClick={() => player.zoom(2)} />
        <button
          type="button"
          class="icon"
          disabled={!player.isZoomed}
          title="See all (0)"
          onClick={() => player.showAll()}
        >
          all
        </button>
      </div>
    </div>
  );
}

function Step(props: { readonly label: string; readonly sign: string; readonly onClick: () => void }): VNode {
  return (
    <button type="button" class="icon" aria-label={props.label} title={props.label} onClick={props.onClick}>
      {props.sign}
    </button>
  );
}

function PlaySign(): VNode {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M4 2.5v11l9.5-5.5z" fill="currentColor" />
    </svg>
  );
}

function PauseSign(): VNode {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M4 3h3v10H4zM9 3h3v10H9z" fill="currentColor" />
    </svg>
  );
}
