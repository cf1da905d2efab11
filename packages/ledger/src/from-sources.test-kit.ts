// How tests start a process of their own.

/** The arguments for Node with which a process imports the packages from their sources. */
export const FROM_SOURCES = ["--import", new URL("../../../scripts/from-sources.mjs", import.meta.url).href] as const;
