// One value in one line of JSON, however deep it is. Owns the way round the stack that `JSON.stringify` stands on.

/**
 * JSON in one line.
 *
 * @param value Plain data. Arguments may be nested as deep as the limit of nesting allows, which is deeper than
 *   `JSON.stringify` goes.
 */
export function jsonLine(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unstacked(value);
  }
}

/** What is still to be written: text as it stands, or a value. */
type Piece = { readonly text: string } | { readonly value: unknown };

function unstacked(root: unknown): string {
  const out: string[] = [];
  const todo: Piece[] = [{ value: root }];
  for (let piece = todo.pop(); piece !== undefined; piece = todo.pop()) {
    if ("text" in piece) out.push(piece.text);
    else if (typeof piece.value === "object" && piece.value !== null) todo.push(...pieces(piece.value).toReversed());
    else out.push(JSON.stringify(piece.value) ?? "null");
  }
  return out.join("");
}

function pieces(value: object): Piece[] {
  const isArray = Array.isArray(value);
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"];
  const members = Object.entries(value).filter(([, member]) => isArray || member !== undefined);
  const list = members.flatMap(([key, member], at): Piece[] => [
    { text: `${at === 0 ? "" : ","}${isArray ? "" : `${JSON.stringify(key)}:`}` },
    { value: member },
  ]);
  return [{ text: open }, ...list, { text: close }];
}
