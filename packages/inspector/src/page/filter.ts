// Which responses the list shows. Owns the filters and the search.

import type { EntryInfo } from "../server/entry.ts";

/** Which of the responses are listed. */
export type ListFilter = "all" | "calls" | "notices" | "broken" | "live";

/** The filters with their words. */
export const FILTERS: readonly (readonly [ListFilter, string])[] = [
  ["all", "All"],
  ["calls", "Calls"],
  ["notices", "Notices"],
  ["broken", "Broken"],
  ["live", "Live"],
];

/** Whether a filter lets an entry through. */
export function isShown({ live, summary, failure }: EntryInfo, filter: ListFilter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "live":
      return live;
    case "calls":
      return (summary?.calls ?? 0) > 0;
    case "notices":
      return Object.keys(summary?.notices ?? {}).length > 0;
    default:
      if (failure !== null) return true;
      if (summary === null || !summary.over) return false;
      return (
        summary.error !== null ||
        summary.finish === null ||
        summary.finish === "error" ||
        summary.statuses.malformed + summary.statuses.truncated > 0
      );
  }
}

/**
 * Whether an entry has every word of a query in its name, wire, model, tools, notices, finish or text, whatever the case.
 */
export function matches({ name, summary, failure }: EntryInfo, query: string): boolean {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return true;
  const said = [
    name,
    summary?.protocol,
    summary?.model,
    summary?.id,
    summary?.finish,
    summary?.error,
    summary?.text,
    failure,
    ...(summary?.names ?? []),
    ...Object.keys(summary?.notices ?? {}),
  ]
    .filter((each) => typeof each === "string")
    .join("\n")
    .toLowerCase();
  return words.every((word) => said.includes(word));
}
