// The help: what the keys do and what the marks mean. Owns the dialog.

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { KEYS } from "../keys.ts";

/** The dialog. */
export function Help({ onClose }: { readonly onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-label="Help"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h2>Marks</h2>
      <p>
        Each bar on a lane is a fragment; the higher, the longer its text. A dot closes a complete call, a cross a
        malformed one, a half one that was cut. Diamonds above the lanes are notices; striped bands are gaps in which
        nothing came.
      </p>
      <p>
        In raw frames <span class="sign sign-mark">CR</span> and <span class="sign sign-mark">LF</span> are line ends,{" "}
        <span class="sign sign-byte">E2</span> a byte that is no character by itself, and{" "}
        <span class="sign sign-cut">╎</span> the place where one chunk ended and the next began.
      </p>
      <form method="dialog">
        <button class="button" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}
