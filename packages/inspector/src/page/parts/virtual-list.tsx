// A long list of rows of one height, of which only those in sight are on the page. Owns the scrolling.

import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Browsers do not lay out boxes that are higher than this by much. */
const MAX_HEIGHT = 8_000_000;
const SPARE = 6;

/** What a list is made of. */
export interface VirtualListProps {
  /** How many rows there are. */
  readonly count: number;
  /** Height of each, in CSS pixels. */
  readonly rowHeight: number;
  /** Draws a row. */
  readonly row: (at: number) => ComponentChildren;
  /** A row that is to be in sight. */
  readonly reveal?: number | undefined;
  /** What the list is called. */
  readonly label: string;
  /** Height of the box in CSS pixels, where the style sheet does not say it. */
  readonly height?: number;
  /** The class of the box. */
  readonly class?: string;
  /** The role of the box. Default `list`. */
  readonly role?: "list" | "listbox" | "tree";
}

/** The list. */
export function VirtualList(props: VirtualListProps): VNode {
  const { count, rowHeight, row, reveal, label, role = "list" } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const total = Math.min(MAX_HEIGHT, count * rowHeight);
  // Of a list that is too high, a pixel of scrolling is more than a pixel of rows.
  const scale = count * rowHeight > MAX_HEIGHT ? (count * rowHeight - height) / Math.max(1, total - height) : 1;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || reveal === undefined || reveal < 0) return;
    const from = reveal * rowHeight;
    const shown = element.scrollTop * scale;
    const away = from < shown || from + rowHeight > shown + element.clientHeight;
    if (away) element.scrollTop = (from - (element.clientHeight - rowHeight) / 2) / scale;
  }, [reveal, count, rowHeight, scale, height]);
  const offset = top * scale;
  const first = Math.max(0, Math.floor(offset / rowHeight) - SPARE);
  const last = Math.min(count, Math.ceil((offset + height) / rowHeight) + SPARE);
  const rows: VNode[] = [];
  for (let at = first; at < last; at++)
    rows.push(
      <div
        key={at}
        class="row-place"
        role={role === "list" ? "listitem" : "none"}
        style={{ transform: `translateY(${at * rowHeight - offset + top}px)`, height: `${rowHeight}px` }}
      >
        {row(at)}
      </div>,
    );
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ""}`}
      role={role}
      aria-label={label}
      tabIndex={-1}
      style={props.height === undefined ? {} : { height: `${props.height}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="virtual-space" style={{ height: `${total}px` }}>
        {rows}
      </div>
    </div>
  );
}
