// Names of an MCP server's tools as vendors take them. Owns the mapping; the server still hears its own names.

/** What every vendor takes as the name of a tool. */
const LONGEST = 64;

/**
 * A name that every vendor takes, and that no other tool has.
 *
 * @param own The server's name for the tool: MCP allows dots and slashes, and 128 characters.
 * @param prefix What tells this server's tools from others; `_` is put between.
 * @param taken The names that are gone.
 * @example
 * toolName("files/read", "docs", new Set()); // "docs_files_read"
 */
export function toolName(own: string, prefix: string | undefined, taken: ReadonlySet<string>): string {
  const whole = (prefix === undefined ? own : `${prefix}_${own}`).replace(/[^A-Za-z0-9_-]/g, "_");
  const name = /^[A-Za-z_]/.test(whole) ? whole : `_${whole}`;
  if (name.length <= LONGEST && !taken.has(name)) return name;
  // The rest is told apart by its order, so that a server that lists the same tools gets the same names.
  for (let count = 2; ; count++) {
    const tail = `_${count}`;
    const shorter = name.slice(0, LONGEST - tail.length) + tail;
    if (!taken.has(shorter)) return shorter;
  }
}
