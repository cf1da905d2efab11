// All responses together, while none of them is open. Owns the sums; each number leads to the responses behind it.

import type { VNode } from "preact";
import type { AppState } from "../app-state.ts";
import { counted } from "../words.ts";

/** Kinds of notices that are listed. */
const MAX_CODES = 12;

/** The overview. */
export function Overview({ state }: { readonly state: AppState }): VNode | null {
  const summaries = [...state.entries.values()].flatMap(({ summary }) => (summary === null ? [] : [summary]));
  if (summaries.length < 2) return null;
  const calls = summaries.reduce((sum, each) => sum + each.calls, 0);
  const whole = summaries.reduce((sum, each) => sum + each.statuses.complete, 0);
  const codes = new Map<string, number>();
  for (const { notices } of summaries)
    for (const code of Object.keys(notices)) codes.set(code, (codes.get(code) ?? 0) + 1);
  const listed = [...codes].toSorted((a, b) => b[1] - a[1]).slice(0, MAX_CODES);
  const most = listed[0]?.[1] ?? 1;
  return (
    <section class="panel overview" aria-label="All responses">
      <dl class="figures">
        <div>
          <dd>{summaries.length.toLocaleString("en")}</dd>
          <dt>responses</dt>
        </div>
        <div>
          <dd>{calls.toLocaleString("en")}</dd>
          <dt>calls</dt>
        </div>
        <div>
          <dd class={whole < calls ? "bad" : ""}>{(calls - whole).toLocaleString("en")}</dd>
          <dt>not whole</dt>
        </div>
        <div>
          <dd class="warn">{codes.size}</dd>
          <dt>kinds of notices</dt>
        </div>
      </dl>
      {listed.length > 0 && (
        <ul class="codes">
          {listed.map(([code, count]) => (
            <li key={code}>
              <button
                type="button"
                title={`List them: ${counted(count, "response")}`}
                onClick={() => state.list({ side: "responses", query: code })}
              >
                <code>{code}</code>
                <span class="bar">
                  <span style={{ width: `${(100 * count) / most}%` }} />
                </span>
                <span class="dim">{count}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
