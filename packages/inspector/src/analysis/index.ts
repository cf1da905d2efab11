// The door of the analysis room: what can be said of a response beside what the library says. Runs everywhere.

export { compare, type Comparison, type OwnCall } from "./naive/compare.ts";
export { grouped, type Group } from "./naive/group.ts";
export type { NaiveCall } from "./naive/readers.ts";
export { NaiveTap, type NaiveResult } from "./naive/tap.ts";
export { ParseState, type ParseStep, type ParseWord } from "./parse-state.ts";
