// What the keys do. Owns the list, for the help too.

import type { AppState } from "./app-state.ts";

/** Keys with what they do, as the help says it. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["space", "play, stop"],
  ["← →", "one frame back, on; with shift ten"],
  ["home end", "before the first frame, the last"],
  ["p n", "the notice before, the next"],
  ["k j", "the response before, the next"],
  ["[ ]", "the lane before, the next"],
  ["1 … 4", "frames, other readers, turn, report"],
  ["+ − 0", "see less, more, all of the time line"],
  ["/", "search"],
  ["t", "dark, light"],
  ["?", "this help"],
];

/** Does what a key says, unless somebody is writing. */
export function handleKey(event: KeyboardEvent, state: AppState, toggleHelp: () => void): void {
  const target = event.target instanceof HTMLElement ? event.target : undefined;
  const field = (target instanceof HTMLInputElement && target.type !== "range") || target instanceof HTMLSelectElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (field) {
    if (event.key === "Escape") target.blur();
    return;
  }
  if (target?.closest("dialog") !== null && target !== undefined && event.key !== "?") return;
  const act = actionOf(event, state, toggleHelp);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function actionOf(event: KeyboardEvent, state: AppState, toggleHelp: () => void): (() => void) | undefined {
  switch (event.key) {
    case "j":
      return () => state.next(1);
    case "k":
      return () => state.next(-1);
    case "/":
      return () => document.querySelector<HTMLInputElement>("#search")?.focus();
    case "t":
      return () => document.querySelector<HTMLButtonElement>("#theme")?.click();
    case "?":
      return toggleHelp;
    case "1":
    case "2":
    case "3":
    case "4":
      return () => document.querySelectorAll<HTMLButtonElement>("[role=tab]")[Number(event.key) - 1]?.click();
    default:
      return playerAction(event, state);
  }
}

function playerAction(event: KeyboardEvent, { opened }: AppState): (() => void) | undefined {
  if (opened.state !== "open") return undefined;
  const { player } = opened;
  // A button or a tab that has the focus takes these keys itself.
  const taken = event.target instanceof HTMLElement && event.target.closest("button, a, summary, [role=tab]") !== null;
  switch (event.key) {
    case " ":
      return taken ? undefined : () => player.toggle();
    case "ArrowRight":
      return () => player.step(event.shiftKey ? 10 : 1);
    case "ArrowLeft":
      return () => player.step(event.shiftKey ? -10 : -1);
    case "Home":
      return () => player.step(-Infinity);
    case "End":
      return () => player.step(Infinity);
    case "n":
      return () => player.toPin(1);
    case "p":
      return () => player.toPin(-1);
    case "[":
      return () => player.chooseNext(-1);
    case "]":
      return () => player.chooseNext(1);
    case "+":
    case "=":
      return () => player.zoom(0.5);
    case "-":
      return () => player.zoom(2);
    case "0":
      return () => player.showAll();
    default:
      return undefined;
  }
}
