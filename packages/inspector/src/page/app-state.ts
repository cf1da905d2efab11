// What the page knows: the list, what is chosen of it, what is open. Owns the list's filter and the opening of responses,
// recorded, live and those of the lessons.

import { Recording } from "../model/recording.ts";
import type { EntryInfo } from "../server/entry.ts";
import { fetchDetails, fetchEntries, fetchPieces, listen } from "./api.ts";
import { type Lesson, lessons } from "./learn/lessons.ts";
import { LiveRecording } from "./live-recording.ts";
import { Observable } from "./observable.ts";
import { Player } from "./player.ts";
import { isShown, type ListFilter, matches } from "./filter.ts";

/** What the page shows beside the list. */
export type Opened =
  | { readonly state: "nothing" }
  | { readonly state: "loading"; readonly id: string }
  | { readonly state: "failed"; readonly id: string; readonly message: string }
  | { readonly state: "open"; readonly id: string; readonly player: Player; readonly lesson: Lesson | undefined };

/** The side of the page that is looked at. */
export type Side = "responses" | "learn";

/** The page's state. */
export class AppState extends Observable {
  /** By id, in the order in which they were added. */
  readonly entries: Map<string, EntryInfo> = new Map();
  /** False until the list has come. */
  listed = false;
  /** Whether the server can be reached. */
  connected = true;
  /** What is searched for. */
  query = "";
  /** Which of the responses are listed. */
  filter: ListFilter = "all";
  /** The list that is shown. */
  side: Side = "responses";
  /** What is shown beside it. */
  opened: Opened = { state: "nothing" };
  #stop: (() => void) | undefined;
  #loading: AbortController | undefined;
  #live: { readonly id: string; readonly live: LiveRecording } | undefined;
  /** Ids that the server told of while the list was on its way; undefined before the first list. */
  #toldMeanwhile: Set<string> | undefined;
  /** Whether somebody has chosen what to look at. */
  #sideChosen = false;
  #drawing = false;
  #growing = false;

  /** Begins: asks for the list and follows the address. */
  start(): void {
    addEventListener("hashchange", () => {
      void this.#route();
    });
    void this.#listen(undefined);
    void this.#route();
  }

  /** The entries that are listed now, newest live ones first. */
  get shown(): readonly EntryInfo[] {
    const all = [...this.entries.values()].filter((entry) => isShown(entry, this.filter) && matches(entry, this.query));
    return [...all.filter(({ live }) => live).toReversed(), ...all.filter(({ live }) => !live)];
  }

  /** What the names of all recorded responses begin with, up to a slash. */
  get folder(): string {
    let common: string | undefined;
    for (const { name, live } of this.entries.values()) {
      if (live) continue;
      common ??= name.slice(0, name.lastIndexOf("/") + 1);
      while (!name.startsWith(common)) common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
      if (common === "") break;
    }
    return common ?? "";
  }

  /** Changes what is listed. */
  list(change: { readonly query?: string; readonly filter?: ListFilter; readonly side?: Side }): void {
    Object.assign(this, change);
    this.#sideChosen ||= change.side !== undefined;
    this.changed();
  }

  /** Opens the next response of the list, or with -1 the one before. */
  next(direction: 1 | -1): void {
    const ids = this.side === "learn" ? lessons.map(({ id }) => id) : this.shown.map(({ id }) => id);
    const at = this.opened.state === "nothing" ? -1 : ids.indexOf(this.opened.id);
    const next = ids[Math.max(0, at + direction)];
    if (next !== undefined) location.hash = this.side === "learn" ? `#/learn/${next}` : `#/r/${next}`;
  }

  async #route(): Promise<void> {
    const [, room, id] = location.hash.split("/");
    this.#loading?.abort();
    this.#live = undefined;
    if (room === "learn") {
      this.side = "learn";
      const lesson = lessons.find((each) => each.id === id);
      if (lesson !== undefined) this.#openLesson(lesson);
      else this.#show({ state: "nothing" });
    } else if (room === "r" && id !== undefined) {
      this.side = "responses";
      await this.#open(id);
    } else this.#show({ state: "nothing" });
  }

  #show(opened: Opened): void {
    if (this.opened.state === "open") this.opened.player.pause();
    this.opened = opened;
    this.changed();
  }

  #openLesson(lesson: Lesson): void {
    const player = new Player(Recording.of(lesson.pieces, { tools: lesson.tools }));
    player.toFrame(-1);
    this.#show({ state: "open", id: lesson.id, player, lesson });
  }

  async #open(id: string): Promise<void> {
    const loading = new AbortController();
    this.#loading = loading;
    this.#show({ state: "loading", id });
    try {
      const details = await fetchDetails(id);
      const options = { protocol: details.protocol ?? undefined, tools: details.tools ?? undefined };
      const entry = this.entries.get(id) ?? (await fetchEntries()).find((each) => each.id === id);
      const coming = entry?.live === true && entry.summary?.over !== true;
      const live = coming ? new LiveRecording(options) : undefined;
      if (live !== undefined) {
        this.#live = { id, live };
        await this.#listen(id);
      }
      const pieces = await fetchPieces(id, loading.signal);
      if (loading.signal.aborted) return;
      live?.fetched(pieces);
      const recording = live?.recording ?? Recording.of(pieces, options);
      this.#show({ state: "open", id, player: new Player(recording), lesson: undefined });
    } catch (error) {
      if (loading.signal.aborted) return;
      this.#show({ state: "failed", id, message: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Listens to the server; settles when nothing is missed any more. */
  #listen(watch: string | undefined): Promise<void> {
    this.#stop?.();
    return new Promise((resolve) => {
      this.#stop = listen(watch, {
        ready: () => {
          resolve();
          void this.#fetchList();
          if (!this.connected) void this.#fetchMissed();
        },
        lost: () => {
          this.connected = false;
          this.changed();
        },
        entry: (info) => {
          this.entries.set(info.id, info);
          this.#toldMeanwhile?.add(info.id);
          this.#drawSoon();
        },
        gone: (id) => {
          this.entries.delete(id);
          this.#toldMeanwhile?.add(id);
          this.#drawSoon();
        },
        chunk: (id, offset, piece) => {
          if (this.#live?.id !== id) return;
          this.#live.live.chunk(offset, piece);
          this.#grown();
        },
        end: (id) => {
          if (this.#live?.id !== id) return;
          this.#live.live.end();
          this.#grown();
        },
      });
    });
  }

  /** The connection was lost for a while. */
  async #fetchMissed(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    try {
      live.live.fetched(await fetchPieces(live.id, new AbortController().signal));
      this.#grown();
    } catch {
      // It is gone from the server; what has come stays.
    }
  }

  async #fetchList(): Promise<void> {
    // What the server tells while the list is on its way is newer than the list.
    const told = new Set<string>();
    this.#toldMeanwhile = told;
    try {
      const list = await fetchEntries();
      const listed = new Set(list.map(({ id }) => id));
      for (const id of this.entries.keys()) if (!listed.has(id) && !told.has(id)) this.entries.delete(id);
      for (const info of list) if (!told.has(info.id)) this.entries.set(info.id, info);
      this.listed = this.connected = true;
      // One response needs no choosing.
      const [only] = list;
      if (list.length === 1 && only !== undefined && location.hash === "") location.hash = `#/r/${only.id}`;
      if (this.entries.size === 0 && location.hash === "" && !this.#sideChosen) this.side = "learn";
    } catch {
      this.connected = false;
    }
    this.changed();
  }

  /** Tells the page that the open response has grown: once a picture, however many chunks came. */
  #grown(): void {
    if (this.#growing) return;
    this.#growing = true;
    requestAnimationFrame(() => {
      this.#growing = false;
      this.#tellGrown();
    });
  }

  #tellGrown(): void {
    if (this.opened.state === "open" && this.opened.player.recording === this.#live?.live.recording)
      this.opened.player.grown();
  }

  /** Many entries change at once: the page is drawn once for all. */
  #drawSoon(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    setTimeout(() => {
      this.#drawing = false;
      this.changed();
    }, 50);
  }
}
