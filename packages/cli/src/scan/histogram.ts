// A distribution in bounded space that can be added to another. Owns the buckets: each is five per cent wider than the one
// before, so that a quantile read from them is at most that much off, however many values there were.

/** A distribution as plain JSON. */
export interface Histogram {
  /** How many values. */
  readonly count: number;
  /** The least value; 0 where there is none. */
  readonly min: number;
  /** The greatest value; 0 where there is none. */
  readonly max: number;
  /** Values by bucket number; bucket 0 holds what is below 1. */
  readonly buckets: Readonly<Record<string, number>>;
}

/** One bucket is this much wider than the one before. */
const GROWTH = Math.log(1.05);

/** Counts values of 0 or more. */
export class HistogramBuilder {
  #count = 0;
  #min = Infinity;
  #max = 0;
  readonly #buckets: Map<number, number> = new Map();

  /** Counts one value; what is no number of 0 or more is left out. */
  add(value: number): void {
    if (!(value >= 0 && value < Infinity)) return;
    this.#take(value < 1 ? 0 : 1 + Math.floor(Math.log(value) / GROWTH), 1);
    this.#count += 1;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  /** Adds what another has counted. */
  merge(other: Histogram): void {
    if (other.count === 0) return;
    for (const [bucket, count] of Object.entries(other.buckets)) this.#take(Number(bucket), count);
    this.#count += other.count;
    this.#min = Math.min(this.#min, other.min);
    this.#max = Math.max(this.#max, other.max);
  }

  /** What has been counted. */
  get result(): Histogram {
    const buckets = [...this.#buckets].toSorted(([a], [b]) => a - b);
    return {
      count: this.#count,
      min: this.#count === 0 ? 0 : this.#min,
      max: this.#max,
      buckets: Object.fromEntries(buckets),
    };
  }

  #take(bucket: number, count: number): void {
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
  }
}

/**
 * The value below which a share of the values lies, at most five per cent off.
 *
 * @param share From 0 to 1.
 * @returns Null where there is no value.
 * @example
 * quantile(histogram, 0.5); // the median
 */
export function quantile(histogram: Histogram, share: number): number | null {
  if (histogram.count === 0) return null;
  const rank = Math.max(1, Math.ceil(share * histogram.count));
  let seen = 0;
  for (const { from, to, count } of spans(histogram)) {
    seen += count;
    if (seen >= rank) return Math.min(histogram.max, Math.max(histogram.min, (from + to) / 2));
  }
  return histogram.max;
}

/** The buckets with their bounds, from the least. */
export function spans({ buckets }: Histogram): readonly { from: number; to: number; count: number }[] {
  return Object.entries(buckets)
    .map(([key, count]) => ({ bucket: Number(key), count }))
    .toSorted((a, b) => a.bucket - b.bucket)
    .map(({ bucket, count }) => ({
      from: bucket === 0 ? 0 : Math.exp((bucket - 1) * GROWTH),
      to: bucket === 0 ? 1 : Math.exp(bucket * GROWTH),
      count,
    }));
}
