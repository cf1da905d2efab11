// A body small enough to be read by a person and empty enough to be shown to anyone, that still goes wrong in the same way.
// Owns the order of the steps, the bound on the work, and the proof: every step is kept only if the finding is the same.

import type { Recording } from "../model/recording.ts";
import { fewest } from "./fewer.ts";
import { findingOf } from "./finding.ts";
import { joined, type Joint, jointsOf } from "./parts.ts";
import { type Redaction, REDACTIONS, type Redactions, Redactor, shortened, STRENGTHS } from "./redact.ts";

/** What came out. */
export interface Reduced {
  /** The body. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** How many frames the body has now, and had. */
  readonly frames: { readonly before: number; readonly after: number };
  /** What was exchanged everywhere. */
  readonly redacted: readonly Redaction[];
  /** What could not be, because the finding hangs on it. */
  readonly kept: readonly Redaction[];
  /** How often a body was read to find this one. */
  readonly trials: number;
}

/** Bounds of the work. */
export interface ReduceLimits {
  /** Bodies that are read at most. Default 600. */
  readonly maxTrials?: number;
  /** Bytes that are read at most, all trials together. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Waited for between trials, and often within a long one: lets a page breathe, or gives up by throwing. */
  readonly pause?: (trials: number) => Promise<void>;
}

/**
 * Reduces a recording to a body for a bug report.
 *
 * @param recording The whole response.
 * @param limits Bounds of the work: when they are reached, the smallest body so far is given.
 * @returns A body with the same finding.
 * @example
 * const { body, frames } = await reduce(Recording.of([{ bytes, time: Number.NaN }]));
 */
export async function reduce(recording: Recording, limits: ReduceLimits = {}): Promise<Reduced> {
  const reduction = new Reduction(recording, limits);
  return reduction.run();
}

/** Frames that are rewritten between two breaths. */
const STRETCH = 256;

interface Redacted {
  readonly parts: readonly Uint8Array[];
  readonly done: readonly Redaction[];
}

class Reduction {
  readonly #recording: Recording;
  readonly #framing: string | undefined;
  readonly #pause: ReduceLimits["pause"];
  #trialsLeft: number;
  #bytesLeft: number;
  #trials = 0;
  #finding = "";

  constructor(recording: Recording, { maxTrials = 600, maxBytes = 256 * 1024 * 1024, pause }: ReduceLimits) {
    this.#recording = recording;
    this.#framing = recording.framing;
    this.#trialsLeft = maxTrials;
    this.#bytesLeft = maxBytes;
    this.#pause = pause;
  }

  async run(): Promise<Reduced> {
    const { frameStarts, frameEnds, frames, bytes, options } = this.#recording;
    this.#finding = await findingOf(bytes.slice(0, bytes.length), options, this.#breathe);
    const parts: Uint8Array[] = [];
    for (let frame = 0; frame < frames; frame++) parts.push(bytes.slice(frameStarts.at(frame), frameEnds.at(frame)));
    const joint = await this.#jointOf(parts);
    // What stands between the frames is part of the finding: nothing can be left out.
    if (joint === undefined) return this.#whole();
    // What is masked first is left out more easily: a text without letters is nearly nothing.
    const masked = await this.#redact(parts, joint, REDACTIONS);
    const kept = await fewest(
      masked.parts,
      (trial) => this.#same(joined(trial, joint)),
      () => this.#more(),
    );
    const rest = REDACTIONS.filter((each) => !masked.done.includes(each));
    const again = await this.#redact(kept, joint, rest);
    const body = joined(again.parts, joint);
    const shorter = joined(await this.#each(again.parts, (part) => shortened(part, this.#framing)), joint);
    return {
      body: shorter.length < body.length && (await this.#same(shorter)) ? shorter : body,
      frames: { before: frames, after: kept.length },
      redacted: REDACTIONS.filter((each) => masked.done.includes(each) || again.done.includes(each)),
      kept: rest.filter((each) => !again.done.includes(each)),
      trials: this.#trials,
    };
  }

  /** Exchanges each kind as strongly as the finding bears. Never for want of trials: what is not redacted must be known. */
  async #redact(parts: readonly Uint8Array[], joint: Joint, redactions: readonly Redaction[]): Promise<Redacted> {
    let chosen: Redactions = {};
    let made: readonly Uint8Array[] = parts;
    for (const redaction of redactions) {
      for (const strength of STRENGTHS) {
        const trial: Redactions = { ...chosen, [redaction]: strength };
        const redactor = new Redactor(trial, this.#framing);
        const masked = await this.#each(parts, (part) => redactor.frame(part));
        await this.#breathe();
        if (!(await this.#same(joined(masked, joint)))) continue;
        chosen = trial;
        made = masked;
        break;
      }
    }
    return { parts: made, done: redactions.filter((each) => chosen[each] !== undefined) };
  }

  async #jointOf(parts: readonly Uint8Array[]): Promise<Joint | undefined> {
    for (const joint of jointsOf(this.#framing)) if (await this.#same(joined(parts, joint))) return joint;
    return undefined;
  }

  async #each(parts: readonly Uint8Array[], made: (part: Uint8Array) => Uint8Array): Promise<readonly Uint8Array[]> {
    const all: Uint8Array[] = [];
    for (const part of parts) {
      if (all.push(made(part)) % STRETCH === 0) await this.#breathe();
    }
    return all;
  }

  readonly #breathe = async (): Promise<void> => this.#pause?.(this.#trials);

  #whole(): Reduced {
    const { bytes, frames } = this.#recording;
    return {
      body: bytes.slice(0, bytes.length).slice(),
      frames: { before: frames, after: frames },
      redacted: [],
      kept: REDACTIONS,
      trials: this.#trials,
    };
  }

  async #same(body: Uint8Array): Promise<boolean> {
    this.#trials++;
    this.#trialsLeft--;
    this.#bytesLeft -= body.length;
    return (await findingOf(body, this.#recording.options, this.#breathe)) === this.#finding;
  }

  async #more(): Promise<boolean> {
    await this.#breathe();
    return this.#trialsLeft > 0 && this.#bytesLeft > 0;
  }
}
