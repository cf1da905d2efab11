// What goes back to the vendor: the assistant's turn and the results, ready to copy. Owns the panel.

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { ToolCall } from "unbraid";
import { type TurnView, turnsOf } from "../../model/turn.ts";
import { visibleText } from "../../model/visible.ts";
import { useChanges } from "../observable.ts";
import type { Player } from "../player.ts";
import { counted } from "../words.ts";
import { CopyButton } from "./copy-button.tsx";
import { Plain, Segments } from "./plain.tsx";

/** UTF-16 units of a message that are shown. */
const MAX_SHOWN = 20_000;
/** Turns of a session that are shown: the last ones. */
const MAX_TURNS = 8;

/** The panel. */
export function TurnPanel({ player }: { readonly player: Player }): VNode {
  useChanges(player);
  const { recording } = player;
  const { protocol, over } = recording;
  const turns = useMemo(
    () => (protocol === undefined || !over ? [] : turnsOf(recording.events, protocol)),
    [recording, protocol, over],
  );
  if (!over) return <p class="empty">When the response has ended.</p>;
  if (turns.length === 0) return <p class="empty">Of this body nothing goes back.</p>;
  return (
    <div class="turn">
      <p class="dim">
        What the next request holds behind the messages so far, in the vendor's own form. Ids are verbatim; a call that
        cannot run is answered with words that tell the model why.
      </p>
      {turns.length > MAX_TURNS && <p class="dim">{counted(turns.length - MAX_TURNS, "earlier turn")} not shown.</p>}
      {turns.slice(-MAX_TURNS).map((turn, at) => (
        <Turn key={at} turn={turn} />
      ))}
    </div>
  );
}

function Turn({ turn }: { readonly turn: TurnView }): VNode {
  const { form, assistant, results, runnable, corrected, problem } = turn;
  const none = runnable.length + corrected.length === 0;
  return (
    <section aria-label={`Turn, ${form}`}>
      <p>
        <span class="chip">{form}</span>
        <Calls calls={runnable} look="good" words="could run" />
        <Calls calls={corrected} look="bad" words="cannot run" />
        {none && <span class="dim"> no call waits for a result</span>}
      </p>
      {problem !== undefined && (
        <p class="bad">
          <Plain text={problem} />
        </p>
      )}
      <Message title="The assistant's turn" value={assistant} />
      {!none && <Message title="The results" value={results} />}
    </section>
  );
}

function Calls(props: {
  readonly calls: readonly ToolCall[];
  readonly look: string;
  readonly words: string;
}): VNode | null {
  const { calls, look, words } = props;
  if (calls.length === 0) return null;
  return (
    <>
      {" "}
      <span class={`chip ${look}`}>{counted(calls.length, "call")}</span> {words}
    </>
  );
}

function Message({ title, value }: { readonly title: string; readonly value: unknown }): VNode | null {
  if (value === null || value === undefined) return null;
  const text = JSON.stringify(value, undefined, 2);
  return (
    <>
      <h3>
        {title}
        <span class="spring" />
        <CopyButton text={() => text} />
      </h3>
      <pre class="raw" tabIndex={0} aria-label={title}>
        <Segments segments={visibleJson(text.slice(0, MAX_SHOWN))} />
        {text.length > MAX_SHOWN && <span class="dim">{"\n"}… copy it to see the rest</span>}
      </pre>
    </>
  );
}

/** Line ends of our own layout are no signs of the wire. */
function visibleJson(text: string): ReturnType<typeof visibleText> {
  return text
    .split("\n")
    .flatMap((line, at) => [
      ...(at === 0 ? [] : [{ kind: "text", text: "\n", title: "" } as const]),
      ...visibleText(line),
    ]);
}
