// Text of the wire on the page. Owns the way in which anything that somebody else wrote is shown: as text, with a sign for
// each character that cannot be seen, and without an effect on what stands beside it.

import type { VNode } from "preact";
import { type Segment, visibleText } from "../../model/visible.ts";

/** Segments, each in its look. */
export function Segments({ segments }: { readonly segments: readonly Segment[] }): VNode {
  return (
    <>
      {segments.map(({ kind, text, title }, at) =>
        kind === "text" ? (
          text
        ) : (
          <span key={at} class={`sign sign-${kind}`} title={title}>
            {text}
          </span>
        ),
      )}
    </>
  );
}

/** A text of the wire. */
export function Plain({ text }: { readonly text: string }): VNode {
  return (
    <bdi>
      <Segments segments={visibleText(text)} />
    </bdi>
  );
}

/** The same as one string, for what takes no elements. */
export function plainWords(text: string): string {
  return visibleText(text)
    .map((segment) => segment.text)
    .join("");
}
