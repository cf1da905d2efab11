// The whole page. Owns its two sides, the keys that work everywhere, and the help.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AppState } from "../app-state.ts";
import { handleKey } from "../keys.ts";
import { useChanges } from "../observable.ts";
import { Help } from "./help.tsx";
import { Overview } from "./overview.tsx";
import { ResponseList } from "./response-list.tsx";
import { ResponseView } from "./response-view.tsx";

/** The page. */
export function App({ state }: { readonly state: AppState }): VNode {
  useChanges(state);
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => handleKey(event, state, () => setHelp((shown) => !shown));
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [state]);
  const { opened } = state;
  const id = opened.state === "nothing" ? "" : opened.id;
  useEffect(() => main.current?.scrollTo(0, 0), [id]);
  return (
    <div class={`page ${opened.state === "nothing" ? "page-list" : "page-view"}`}>
      <a
        class="skip"
        href="#view"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        To the response
      </a>
      <ResponseList state={state} onHelp={() => setHelp(true)} />
      <main id="view" ref={main} tabIndex={-1} aria-label="Response">
        {opened.state === "open" ? (
          <ResponseView key={opened.id} opened={opened} state={state} />
        ) : (
          <Nothing state={state} />
        )}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

function Nothing({ state }: { readonly state: AppState }): VNode {
  const { opened } = state;
  if (opened.state === "loading")
    return (
      <p class="nothing" role="status">
        Reading …
      </p>
    );
  if (opened.state === "failed")
    return (
      <div class="nothing" role="alert">
        <h1>This response cannot be shown</h1>
        <p>{opened.message}</p>
      </div>
    );
  return (
    <div class="nothing">
      <Overview state={state} />
      <h1>Which call got which fragment, and when?</h1>
      <p>
        Choose a response from the list, or a lesson under “Learn”. Keys: <kbd>j</kbd> <kbd>k</kbd> go through the list,{" "}
        <kbd>space</kbd> plays, <kbd>?</kbd> shows the rest.
      </p>
    </div>
  );
}
