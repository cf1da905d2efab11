// The audit's report: what many bodies came to, by model, server and protocol. Owns the adding up, so that the report of a
// part and the report of the whole are made by the same hands, and partial reports merge to what one scan would have said.

import { type BodyFacts, COUNTS, type Counts, zeroCounts } from "./facts.ts";
import { type Histogram, HistogramBuilder } from "./histogram.ts";

/** What bodies of one model on one server came to. */
export interface Group {
  readonly protocol: string | null;
  readonly model: string | null;
  readonly server: string | null;
  readonly counts: Counts;
  /** How often each irregularity was seen. */
  readonly notices: Readonly<Record<string, number>>;
  /** Bodies by how they ended; `none` where there was no terminal signal. */
  readonly finishes: Readonly<Record<string, number>>;
  /** Fragments a call. */
  readonly fragments: Histogram;
  /** Milliseconds to the first fragment, where times are known. */
  readonly firstFragment: Histogram;
  /** Milliseconds between fragments, where times are known. */
  readonly gaps: Histogram;
}

/** A body worth looking at. */
export interface Example {
  readonly name: string;
  readonly protocol: string | null;
  readonly model: string | null;
  /** Why, most telling first: statuses, errors, notice codes. */
  readonly what: readonly string[];
  /** How bad it is; only its order means something. */
  readonly weight: number;
}

/** A file that could not be read. */
export interface BrokenFile {
  readonly name: string;
  readonly message: string;
}

/** The report, as `--json` prints it and `--merge` reads it. */
export interface ScanReport {
  readonly format: "unbraid-scan";
  readonly version: 1;
  /** True where the scan was interrupted: it says what was read until then. */
  readonly interrupted?: true;
  /** Files that were read, those without a stream in them left out. */
  readonly files: number;
  /** Files in directories that hold no stream. */
  readonly skipped: number;
  readonly totals: Counts;
  readonly notices: Readonly<Record<string, number>>;
  readonly groups: readonly Group[];
  readonly worst: readonly Example[];
  /** Files that could not be read, or not to their end: the first ones by name. */
  readonly broken: readonly BrokenFile[];
  /** All of them. */
  readonly brokenFiles: number;
}

/** Groups that are told apart; names of models are the body's own and may be anything. */
const MAX_GROUPS = 2_000;

/** Examples and broken files that are kept. */
const MAX_WORST = 20;
const MAX_BROKEN = 100;

/** Characters of a name of a model or server. */
const MAX_NAME = 200;

interface GroupBuilder {
  readonly key: Pick<Group, "protocol" | "model" | "server">;
  readonly counts: ReturnType<typeof zeroCounts>;
  readonly notices: Map<string, number>;
  readonly finishes: Map<string, number>;
  readonly fragments: HistogramBuilder;
  readonly firstFragment: HistogramBuilder;
  readonly gaps: HistogramBuilder;
}

/** Adds bodies and reports up. */
export class ReportBuilder {
  readonly #groups: Map<string, GroupBuilder> = new Map();
  readonly #worst: Shortlist<Example> = new Shortlist(
    MAX_WORST,
    (a, b) => b.weight - a.weight || order(a.name, b.name),
  );
  readonly #broken: Shortlist<BrokenFile> = new Shortlist(MAX_BROKEN, (a, b) => order(a.name, b.name));
  #brokenFiles = 0;
  #files = 0;
  #skipped = 0;
  #interrupted = false;

  /** Counts a file that was read. */
  file(): void {
    this.#files += 1;
  }

  /** Counts a file that holds no stream. */
  skip(): void {
    this.#skipped += 1;
  }

  /** Says that the scan did not come to its end. */
  interrupt(): void {
    this.#interrupted = true;
  }

  /** Notes a file that could not be read, or not to its end. */
  broken(name: string, message: string): void {
    this.#brokenFiles += 1;
    this.#broken.add({ name, message });
  }

  /** Adds a body. */
  add(facts: BodyFacts): void {
    const group = this.#group(facts);
    addCounts(group.counts, facts.counts);
    for (const [code, count] of facts.notices) grow(group.notices, code, count);
    grow(group.finishes, facts.finish ?? "none", 1);
    for (const count of facts.fragments) group.fragments.add(count);
    if (facts.firstFragment !== undefined) group.firstFragment.add(facts.firstFragment);
    for (const gap of facts.gaps) group.gaps.add(gap);
    const example = exampleOf(facts);
    if (example !== undefined) this.#worst.add(example);
  }

  /** Adds another report. */
  merge(report: ScanReport): void {
    for (const group of report.groups) {
      const own = this.#group(group);
      addCounts(own.counts, group.counts);
      for (const [code, count] of Object.entries(group.notices)) grow(own.notices, code, count);
      for (const [finish, count] of Object.entries(group.finishes)) grow(own.finishes, finish, count);
      own.fragments.merge(group.fragments);
      own.firstFragment.merge(group.firstFragment);
      own.gaps.merge(group.gaps);
    }
    for (const example of report.worst) this.#worst.add(example);
    for (const file of report.broken) this.#broken.add(file);
    this.#brokenFiles += report.brokenFiles;
    this.#files += report.files;
    this.#skipped += report.skipped;
    if (report.interrupted === true) this.#interrupted = true;
  }

  /** What has been added up. */
  get result(): ScanReport {
    const groups = [...this.#groups.values()].map(groupOf).toSorted(byName);
    const totals = zeroCounts();
    const notices = new Map<string, number>();
    for (const group of groups) {
      addCounts(totals, group.counts);
      for (const [code, count] of Object.entries(group.notices)) grow(notices, code, count);
    }
    return {
      format: "unbraid-scan",
      version: 1,
      ...(this.#interrupted ? { interrupted: true as const } : {}),
      files: this.#files,
      skipped: this.#skipped,
      totals,
      notices: sorted(notices),
      groups,
      worst: this.#worst.list,
      broken: this.#broken.list,
      brokenFiles: this.#brokenFiles,
    };
  }

  #group({ protocol, model, server }: Pick<Group, "protocol" | "model" | "server">): GroupBuilder {
    const names = { protocol, model: shortened(model), server: shortened(server) };
    const key = JSON.stringify([names.protocol, names.model, names.server]);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const rest = { protocol: null, model: "(further models)", server: null };
    if (this.#groups.size >= MAX_GROUPS && names.model !== rest.model) return this.#group(rest);
    const made: GroupBuilder = {
      key: names,
      counts: zeroCounts(),
      notices: new Map(),
      finishes: new Map(),
      fragments: new HistogramBuilder(),
      firstFragment: new HistogramBuilder(),
      gaps: new HistogramBuilder(),
    };
    this.#groups.set(key, made);
    return made;
  }
}

/** What an audit should look at first. A notice weighs little, and a code counts once however often it was said. */
function exampleOf({ name, protocol, model, counts, notices }: BodyFacts): Example | undefined {
  const { malformed, truncated, errors, unfinished } = counts;
  const statuses = [
    ...(malformed > 0 ? [`${malformed} malformed`] : []),
    ...(truncated > 0 ? [`${truncated} truncated`] : []),
    ...(errors > 0 ? ["error"] : []),
    ...(unfinished > 0 ? ["no terminal signal"] : []),
  ];
  const what = [...statuses, ...[...notices.keys()].toSorted(order)];
  if (what.length === 0) return undefined;
  const weight =
    10 * Math.min(malformed, 10) + 6 * Math.min(truncated, 10) + 5 * errors + 3 * unfinished + notices.size;
  return { name, protocol, model: shortened(model), what: what.slice(0, 8), weight };
}

/** The first few of many by an order; the same ones in whatever sequence they came. */
class Shortlist<Item> {
  readonly #size: number;
  readonly #compare: (a: Item, b: Item) => number;
  readonly list: Item[] = [];

  constructor(size: number, compare: (a: Item, b: Item) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  add(item: Item): void {
    const last = this.list.at(-1);
    if (this.list.length === this.#size && last !== undefined && this.#compare(item, last) >= 0) return;
    const at = this.list.findIndex((other) => this.#compare(item, other) < 0);
    this.list.splice(at === -1 ? this.list.length : at, 0, item);
    if (this.list.length > this.#size) this.list.pop();
  }
}

function groupOf({ key, counts, notices, finishes, fragments, firstFragment, gaps }: GroupBuilder): Group {
  return {
    ...key,
    counts,
    notices: sorted(notices),
    finishes: sorted(finishes),
    fragments: fragments.result,
    firstFragment: firstFragment.result,
    gaps: gaps.result,
  };
}

/** Many responses first, then by name. */
function byName(a: Group, b: Group): number {
  const names = (group: Group): string => [group.protocol, group.model, group.server].join("\n");
  return b.counts.responses - a.counts.responses || order(names(a), names(b));
}

function addCounts(to: ReturnType<typeof zeroCounts>, from: Counts): void {
  for (const name of COUNTS) to[name] += from[name];
}

function grow(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** The most frequent first. */
function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].toSorted(([a, n], [b, m]) => m - n || order(a, b)));
}

/** The same order on every machine, whatever its language. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function shortened(name: string | null): string | null {
  return name === null ? null : name.slice(0, MAX_NAME);
}
