import type { Counted } from './metrics';

type Counts = Partial<Record<Counted, Float64Array>>;

/** What was counted of each group, by its number. */
export class Tally {
  private counts: Counts = {};
  /** Of each group, who was counted there last: hits come in the order of visitors and visits. */
  private lastVisitors = new Uint32Array(0);
  private lastVisits = new Uint32Array(0);
  size = 0;

  constructor(private readonly metrics: readonly Counted[]) {}

  get bytes(): number {
    return this.size * (8 * this.metrics.length + 8);
  }

  of(metric: Counted, group: number): number {
    return this.counts[metric]?.[group] ?? 0;
  }

  isEmpty(group: number): boolean {
    return this.metrics.every((metric) => this.of(metric, group) === 0);
  }

  add(metric: Counted, group: number, count: number): void {
    if (group >= this.size) this.makeRoom(group);
    const counts = this.counts[metric];
    if (counts) counts[group]! += count;
  }

  /** Whether a visitor is counted in a group for the first time; the numbers of visitors rise from 1. */
  isNewVisitor(group: number, visitor: number): boolean {
    if (group >= this.size) this.makeRoom(group);
    if (this.lastVisitors[group] === visitor) return false;
    this.lastVisitors[group] = visitor;
    return true;
  }

  isNewVisit(group: number, visit: number): boolean {
    if (group >= this.size) this.makeRoom(group);
    if (this.lastVisits[group] === visit) return false;
    this.lastVisits[group] = visit;
    return true;
  }

  private makeRoom(group: number): void {
    this.size = Math.max(group + 1, Math.ceil(1.5 * this.size), 64);
    this.lastVisitors = enlarged(this.lastVisitors, new Uint32Array(this.size));
    this.lastVisits = enlarged(this.lastVisits, new Uint32Array(this.size));
    for (const metric of this.metrics)
      this.counts[metric] = enlarged(this.counts[metric] ?? new Float64Array(0), new Float64Array(this.size));
  }
}

function enlarged<A extends Uint32Array | Float64Array>(numbers: A, larger: A): A {
  larger.set(numbers);
  return larger;
}
