// Following places of a value while it is read: who waits for which place, and what each is told. Owns followers and the
// record of a place; the builder tells it where it stands, and it never changes a value.

import { normalizedStep, type PathSegment } from "./path.ts";

/** What a listener is told beside the text. */
export interface JsonFollowInfo {
  /** True for the last call of this value. */
  readonly done: boolean;
  /** Where the value stands, as a normalized path of RFC 9535, such as `$['edits'][0]['text']`. */
  readonly path: string;
  /**
   * True on the first call of a value whose place, or a place around it, was given before by an equal key: what was
   * kept for this path is void (the last of equal keys wins).
   */
  readonly restart: boolean;
  /** The whole value, there when `done`; objects and arrays are those of the live tree. */
  readonly value?: unknown;
}

/**
 * Hears of the values at a path. A string is told in pieces as it grows: all `text` of a value, one after another, is
 * the string; an empty `text` comes only with `done`. Any other value is told once, with `done`, `value` and an empty
 * `text`.
 */
export type JsonFollowListener = (text: string, info: JsonFollowInfo) => void;

/** One call of `follow`. */
export interface Follower {
  readonly segments: readonly PathSegment[];
  readonly listener: JsonFollowListener;
  /** False once its owner has let go. */
  live: boolean;
}

/** A value that is being read and matters to somebody. */
export interface FollowedPlace {
  readonly path: string;
  readonly restart: boolean;
  /** Steps from the root. */
  readonly level: number;
  /** Follow something inside this value. */
  readonly seekers: Follower[];
  /** Follow this value. */
  readonly targets: Follower[];
  told: boolean;
}

/** A place without followers yet. */
export function newPlace(path: string, level: number, restart: boolean): FollowedPlace {
  return { path, restart, level, seekers: [], targets: [], told: false };
}

/** Enters a follower whose path has led to this place. */
export function join(place: FollowedPlace, follower: Follower): void {
  (follower.segments.length === place.level ? place.targets : place.seekers).push(follower);
}

/** Whether a follower's path goes on from a place `level` steps deep to the child at `step`. */
export function leadsTo(follower: Follower, level: number, step: string | number): boolean {
  const segment = follower.segments[level];
  if (segment === undefined) return false;
  if (segment.kind === "any") return true;
  return segment.kind === "name" ? segment.name === step : segment.index === step;
}

/**
 * The record of a child, when anybody follows it or something inside it.
 *
 * @param parent The record of the container.
 * @param step The child's name or index.
 * @param again Whether the container already has a member of that name.
 */
export function childPlace(parent: FollowedPlace, step: string | number, again: boolean): FollowedPlace | undefined {
  let place: FollowedPlace | undefined;
  for (const follower of parent.seekers)
    if (follower.live && leadsTo(follower, parent.level, step)) {
      place ??= newPlace(parent.path + normalizedStep(step), parent.level + 1, parent.restart || again);
      join(place, follower);
    }
  return place;
}

/** Tells the followers of a string a new piece of it. */
export function tellPiece(place: FollowedPlace, text: string): void {
  if (text !== "") tell(place, text, { done: false, path: place.path, restart: place.restart && !place.told });
}

/** Tells the followers of a value that it is whole; `text` is the last piece of a string. */
export function tellWhole(place: FollowedPlace, text: string, value: unknown): void {
  tell(place, text, { done: true, path: place.path, restart: place.restart && !place.told, value });
}

function tell(place: FollowedPlace, text: string, info: JsonFollowInfo): void {
  place.told = true;
  // A listener may follow something itself: only those are told who were there before.
  const count = place.targets.length;
  for (let at = 0; at < count; at++) {
    const follower = place.targets[at];
    if (follower?.live === true) follower.listener(text, info);
  }
}

/** What a late follower must know of a tree that is still growing. */
interface Progress {
  /** Whether the root value is still open. */
  readonly open: boolean;
  /** The way from the root to the innermost open value that is in the tree, by names and indexes. */
  readonly steps: readonly (string | number)[];
  /** Tells objects and arrays of the text from objects that a `number` option made. */
  readonly isContainer: (value: unknown) => value is object;
}

/**
 * Tells a late follower what is there already: whole values, and of a string in progress the text so far. Objects and
 * arrays that are still open are left for later.
 */
export function catchUp(follower: Follower, root: unknown, progress: Progress): void {
  let found = [{ value: root, path: "$", open: progress.open }];
  for (const [level, segment] of follower.segments.entries())
    found = found.flatMap(({ value, path, open }) =>
      (progress.isContainer(value) ? children(value, segment) : []).map(([step, child]) => ({
        value: child,
        path: path + normalizedStep(step),
        open: open && step === progress.steps[level],
      })),
    );
  for (const { value, path, open } of found) {
    const text = typeof value === "string" ? value : "";
    if (!open) follower.listener(text, { done: true, path, restart: false, value });
    else if (text !== "") follower.listener(text, { done: false, path, restart: false });
  }
}

function children(
  container: object,
  segment: PathSegment,
): readonly (readonly [step: string | number, child: unknown])[] {
  if (Array.isArray(container)) {
    const elements: readonly unknown[] = container;
    if (segment.kind === "any") return elements.map((element, index) => [index, element] as const);
    return segment.kind === "index" && segment.index < elements.length
      ? [[segment.index, elements[segment.index]]]
      : [];
  }
  if (segment.kind === "any") return Object.entries(container);
  if (segment.kind === "index" || !Object.hasOwn(container, segment.name)) return [];
  return [[segment.name, (container as Readonly<Record<string, unknown>>)[segment.name]]];
}
