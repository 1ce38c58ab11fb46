import { type Codes, kindFor } from '../../hits/codes/code-list';
import type { CountedMetric } from '../../questions/plan/metrics';

/** The counts of the groups that have some. Most values of a website have none where a filter selects few hits. */
export interface PackedCounts {
  readonly size: number;
  readonly groups: Codes;
  /** In the order of the groups. */
  readonly counts: ReadonlyMap<CountedMetric, Codes | Float64Array>;
}

export function bytesOfPacked({ groups, counts }: PackedCounts): number {
  return Array.from(counts.values()).reduce((sum, { byteLength }) => sum + byteLength, groups.byteLength);
}

/** The counts of each group, by its number. */
export class Tally {
  size = 0;
  private readonly counts = new Map<CountedMetric, Float64Array>();
  private numbers = new Uint32Array(0);
  private readonly last = { visitors: new Uint32Array(0), visits: new Uint32Array(0) };

  constructor(metrics: readonly CountedMetric[]) {
    for (const metric of metrics) this.counts.set(metric, new Float64Array(0));
  }

  get bytes(): number {
    return this.size * (8 * this.counts.size + 8) + this.numbers.byteLength;
  }

  /** The numbers of all groups with room, in order. */
  get groups(): Uint32Array {
    if (this.numbers.length < this.size) {
      this.numbers = new Uint32Array(this.size);
      for (let group = 0; group < this.size; group++) this.numbers[group] = group;
    }
    return this.numbers;
  }

  of(metric: CountedMetric, group: number): number {
    return this.counts.get(metric)?.[group] ?? 0;
  }

  /** The groups with a count. */
  counted(): Uint32Array {
    const all = [...this.counts.values()];
    const groups = new Uint32Array(this.size);
    let size = 0;
    for (let group = 0; group < this.size; group++) {
      let place = 0;
      while (place < all.length && all[place]![group] === 0) place++;
      if (place < all.length) groups[size++] = group;
    }
    return groups.subarray(0, size);
  }

  /** Makes room for the groups below a number. */
  reserve(groups: number): void {
    if (groups <= this.size) return;
    this.size = Math.max(groups, Math.ceil(1.5 * this.size));
    for (const [metric, counts] of this.counts)
      this.counts.set(metric, enlarged(counts, new Float64Array(this.size)));
    this.last.visitors = enlarged(this.last.visitors, new Uint32Array(this.size));
    this.last.visits = enlarged(this.last.visits, new Uint32Array(this.size));
  }

  pack(): PackedCounts {
    const { size } = this;
    const groups = this.counted();
    const packed = (counts: Float64Array) => narrowed(Float64Array.from(groups, (group) => counts[group]!));
    const counts = new Map(Array.from(this.counts, ([metric, own]) => [metric, packed(own)]));
    return { size, groups: new (kindFor(groups.at(-1) ?? 0))(groups), counts };
  }

  /** Takes over the counts of the same metrics. */
  unpack({ size, groups, counts }: PackedCounts): void {
    this.reserve(size);
    for (const [metric, packed] of counts) {
      const own = this.counts.get(metric)!;
      for (let index = 0; index < groups.length; index++) own[groups[index]!] = packed[index]!;
    }
  }

  /** The counts by group, to add to. Undefined if the metric is not requested. */
  countsOf(metric: CountedMetric): Float64Array | undefined {
    return this.counts.get(metric);
  }

  /** Sets the counts of a metric by group. */
  set(metric: CountedMetric, counts: Float64Array): void {
    this.reserve(counts.length);
    this.counts.set(metric, enlarged(counts, new Float64Array(this.size)));
  }

  /** The last visitor or visit counted in each group, from one. They come in order, so each is counted once. */
  lastOf(what: 'visitors' | 'visits'): Uint32Array {
    return this.last[what];
  }
}

/** Copies numbers into a list with as few bytes as they need. Most counts of long lists are small. */
function narrowed(counts: Float64Array): Codes | Float64Array {
  let largest = 0;
  for (const count of counts) {
    if (count >>> 0 !== count) return counts;
    if (count > largest) largest = count;
  }
  return new (kindFor(largest))(counts);
}

function enlarged<A extends Uint32Array | Float64Array>(numbers: A, larger: A): A {
  larger.set(numbers);
  return larger;
}
