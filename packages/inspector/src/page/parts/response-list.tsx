// The side of the page: the list of responses with its search and filters, or the lessons. Owns what one line says.

import type { VNode } from "preact";
import type { AppState } from "../app-state.ts";
import { timeWords } from "../../model/time-line.ts";
import type { EntryInfo } from "../../server/entry.ts";
import { FILTERS } from "../filter.ts";
import { lessons } from "../learn/lessons.ts";
import { bytesWords, counted, noticeCount } from "../words.ts";
import { Plain, plainWords } from "./plain.tsx";
import { ThemeButton } from "./theme-button.tsx";
import { VirtualList } from "./virtual-list.tsx";

const ROW = 76;

/** The side. */
export function ResponseList({ state, onHelp }: { readonly state: AppState; readonly onHelp: () => void }): VNode {
  return (
    <nav class="side" aria-label="Responses">
      <header class="brand">
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <g fill="none" stroke-width="3.4" stroke-linecap="round">
            <path d="M3 10c7 0 8 12 13 12s6-12 13-12" class="strand-1" />
            <path d="M3 22c7 0 8-12 13-12s6 12 13 12" class="strand-2" />
          </g>
        </svg>
        <strong>unbraid</strong>
        <span class="dim">inspector</span>
        <span class="spring" />
        <ThemeButton />
        <button type="button" class="icon" aria-label="Help" title="Help (?)" onClick={onHelp}>
          ?
        </button>
      </header>
      <div class="sides">
        <button
          type="button"
          aria-pressed={state.side === "responses"}
          onClick={() => state.list({ side: "responses" })}
        >
          Responses{state.entries.size > 0 && <span class="count">{state.entries.size.toLocaleString("en")}</span>}
        </button>
        <button type="button" aria-pressed={state.side === "learn"} onClick={() => state.list({ side: "learn" })}>
          Learn
        </button>
      </div>
      {!state.connected && (
        <p class="lost" role="status">
          The server cannot be reached. What is open stays.
        </p>
      )}
      {state.side === "learn" ? <Lessons state={state} /> : <Responses state={state} />}
    </nav>
  );
}

function Responses({ state }: { readonly state: AppState }): VNode {
  const { shown, folder } = state;
  const openId = state.opened.state === "nothing" ? undefined : state.opened.id;
  return (
    <>
      <div class="search">
        <input
          id="search"
          type="search"
          placeholder="Search name, model, tool, notice"
          aria-label="Search"
          spellcheck={false}
          value={state.query}
          onInput={(event) => state.list({ query: event.currentTarget.value })}
        />
        <div class="filters" role="group" aria-label="Filter">
          {FILTERS.map(([filter, words]) => (
            <button
              type="button"
              key={filter}
              aria-pressed={state.filter === filter}
              onClick={() => state.list({ filter })}
            >
              {words}
            </button>
          ))}
        </div>
      </div>
      {shown.length === 0 ? (
        <p class="empty">{emptyWords(state)}</p>
      ) : (
        <VirtualList
          class="entries"
          count={shown.length}
          rowHeight={ROW}
          label="Responses"
          reveal={shown.findIndex(({ id }) => id === openId)}
          row={(at) => {
            const entry = shown[at];
            return entry === undefined ? null : <Line entry={entry} folder={folder} current={entry.id === openId} />;
          }}
        />
      )}
    </>
  );
}

function emptyWords({ entries, listed }: AppState): string {
  if (!listed) return "…";
  return entries.size === 0 ? "No response yet." : "Nothing fits the search and the filter.";
}

function Line(props: { readonly entry: EntryInfo; readonly folder: string; readonly current: boolean }): VNode {
  const { entry, current } = props;
  const { summary, failure, live } = entry;
  const name = live ? entry.name : entry.name.slice(props.folder.length);
  const slash = live ? -1 : name.lastIndexOf("/", name.length - 2);
  const notices = summary === null ? 0 : noticeCount(summary);
  const coming = live && summary?.over !== true;
  return (
    <a
      class="entry"
      href={`#/r/${entry.id}`}
      aria-current={current ? "page" : undefined}
      title={plainWords(entry.name)}
    >
      <span class="entry-name">
        {coming && <span class="live" title="Still coming" />}
        {slash > 0 && (
          <span class="dim folder">
            <Plain text={name.slice(0, slash + 1)} />
          </span>
        )}
        <b>
          <Plain text={name.slice(slash + 1)} />
        </b>
      </span>
      <span class="entry-facts">
        {summary === null ? (
          <span class="dim">{failure === null ? "not read yet" : ""}</span>
        ) : (
          <>
            <span>{summary.protocol ?? "no known wire"}</span>
            {summary.model !== null && (
              <span class="dim">
                <Plain text={summary.model.slice(0, 60)} />
              </span>
            )}
          </>
        )}
      </span>
      <span class="entry-facts">
        {failure !== null && <span class="chip bad">{plainWords(failure)}</span>}
        {summary !== null && (
          <>
            <Finish finish={summary.finish} over={summary.over} error={summary.error !== null} />
            {summary.calls > 0 && <span>{counted(summary.calls, "call")}</span>}
            {summary.statuses.malformed + summary.statuses.truncated > 0 && (
              <span class="bad">{summary.statuses.malformed + summary.statuses.truncated} not whole</span>
            )}
            {notices > 0 && <span class="warn">◆ {notices}</span>}
            <span class="spring" />
            <span class="dim">
              {summary.duration === null ? bytesWords(summary.bytes) : timeWords(summary.duration)}
            </span>
          </>
        )}
      </span>
    </a>
  );
}

/** How a response ended. */
export function Finish(props: {
  readonly finish: string | null;
  readonly over: boolean;
  readonly error: boolean;
}): VNode {
  const { finish, over, error } = props;
  if (!over && finish === null) return <span class="chip live-chip">coming</span>;
  const good = !error && (finish === "tool_calls" || finish === "stop");
  return <span class={`chip ${good ? "good" : finish === "length" ? "warned" : "bad"}`}>{finish ?? "no finish"}</span>;
}

function Lessons({ state }: { readonly state: AppState }): VNode {
  const openId = state.opened.state === "nothing" ? undefined : state.opened.id;
  return (
    <ol class="lessons">
      {lessons.map(({ id, title, story }, at) => (
        <li key={id}>
          <a href={`#/learn/${id}`} aria-current={id === openId ? "page" : undefined}>
            <span class="lesson-number">{at + 1}</span>
            <b>{title}</b>
            <span class="dim">{story}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
