// The value so far as a tree. Owns how a node looks; which there are at the moment, the outline says: a beginning of its
// list, so that only the rows in sight are asked for.

import type { VNode } from "preact";
import type { Moment } from "../../model/lane.ts";
import type { OutlineNode } from "../../model/outline.ts";
import { Plain } from "./plain.tsx";
import { VirtualList } from "./virtual-list.tsx";

const ROW = 22;
/** Rows in sight at once. */
const MAX_ROWS = 10;
/** UTF-16 units of a string that are shown. */
const MAX_STRING = 160;
/** Levels of indentation that are drawn. */
const MAX_INDENT = 24;

/** The tree. */
export function ValueTree({ moment, label }: { readonly moment: Moment; readonly label: string }): VNode | null {
  const { text, outline } = moment;
  if (outline === undefined) return null;
  const count = outline.countAt(text.length);
  if (count === 0) return <p class="tree-empty dim">no value yet</p>;
  return (
    <VirtualList
      class="tree"
      height={Math.min(MAX_ROWS, count) * ROW}
      role="tree"
      label={`Value so far of ${label}`}
      count={count}
      rowHeight={ROW}
      reveal={count - 1}
      row={(at) => {
        const node = outline.node(at, text.length);
        return node === undefined ? null : <Row node={node} text={text} newest={at === count - 1} />;
      }}
    />
  );
}

function Row({
  node,
  text,
  newest,
}: {
  readonly node: OutlineNode;
  readonly text: string;
  readonly newest: boolean;
}): VNode {
  const open = node.end === Number.POSITIVE_INFINITY;
  return (
    <div
      class={`node node-${node.kind} ${open ? "node-open" : ""} ${newest ? "node-newest" : ""}`}
      role="treeitem"
      aria-level={node.depth + 1}
      style={{ paddingLeft: `${8 + 14 * Math.min(MAX_INDENT, node.depth)}px` }}
    >
      {node.key !== undefined ? (
        <span class="key">
          <Plain text={unquoted(text.slice(...node.key))} />
        </span>
      ) : (
        node.parent >= 0 && <span class="dim">{node.index}</span>
      )}
      <Value node={node} text={text} open={open} />
    </div>
  );
}

function Value({
  node,
  text,
  open,
}: {
  readonly node: OutlineNode;
  readonly text: string;
  readonly open: boolean;
}): VNode {
  const { kind, start, end } = node;
  const raw = text.slice(start, open ? text.length : end);
  switch (kind) {
    case "object":
      return <span class="dim">{open ? "{ …" : raw.length === 2 ? "{}" : "{ }"}</span>;
    case "array":
      return <span class="dim">{open ? "[ …" : raw.length === 2 ? "[]" : "[ ]"}</span>;
    case "string": {
      const said = open ? unquoted(`${whole(raw)}"`) : unquoted(raw);
      // Of a string that grows its end is of interest, of a whole one its beginning.
      const shown =
        said.length <= MAX_STRING ? said : open ? `…${said.slice(-MAX_STRING)}` : `${said.slice(0, MAX_STRING)}…`;
      return (
        <span class="string">
          “<Plain text={shown} />
          {open ? <span class="caret" aria-label="still growing" /> : "”"}
        </span>
      );
    }
    default:
      return open ? (
        <span class="dim" title="not whole yet, so not a value yet">
          {raw} …
        </span>
      ) : (
        <span class={kind}>{raw}</span>
      );
  }
}

/** A string that is cut off, without half an escape at its end. */
function whole(raw: string): string {
  const slashes = /\\+$/.exec(raw)?.[0].length ?? 0;
  if (slashes % 2 === 1) return raw.slice(0, -1);
  return raw.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\u[0-9a-fA-F]{0,3}$/, "");
}

/** What a JSON string says; the raw text where it is none. */
function unquoted(raw: string): string {
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw;
  }
}
