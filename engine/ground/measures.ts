/** The values of a measure's labels, in the order of their names. Each must be one of few: they stay in memory. */
type Labels = readonly (string | number)[];

/** A measure and its values, as plain data. */
export interface Measured {
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** The upper bounds of a histogram's buckets, without the last one, which has none. */
  readonly bounds: readonly number[];
  readonly series: readonly MeasuredSeries[];
}

interface MeasuredSeries {
  readonly labels: Labels;
  /** One number. Of a histogram, the count of each bucket, and then the sum. */
  readonly values: readonly number[];
}

const measures = new Map<string, Measure>();

/** What a thread measures of one kind. Declare it beside what it measures, at the top of the file. */
abstract class Measure {
  protected readonly series = new Map<string, { labels: Labels; values: number[] }>();

  protected constructor(
    private readonly kind: Measured['kind'],
    private readonly name: string,
    private readonly help: string,
    private readonly labels: readonly string[],
    protected readonly bounds: readonly number[] = [],
  ) {
    if (measures.has(name)) throw new Error(`${name} is measured twice`);
    measures.set(name, this);
    // Without labels, a value that is still 0 is known.
    if (labels.length === 0) this.valuesOf([]);
  }

  measured(): Measured {
    const { kind, name, help, labels, bounds } = this;
    return { kind, name, help, labels, bounds, series: [...this.series.values()] };
  }

  protected valuesOf(labels: Labels): number[] {
    const key = labels.length === 1 ? String(labels[0]) : labels.join('\n');
    const known = this.series.get(key);
    if (known) return known.values;
    const values = new Array<number>(this.kind === 'histogram' ? this.bounds.length + 2 : 1).fill(0);
    this.series.set(key, { labels, values });
    return values;
  }
}

/** Counts what happens. */
export class Counter extends Measure {
  constructor(name: string, help: string, labels: readonly string[] = []) {
    super('counter', name, help, labels);
  }

  add(count: number, ...labels: Labels): void {
    this.valuesOf(labels)[0]! += count;
  }
}

/** What there is at the moment. */
export class Gauge extends Measure {
  constructor(name: string, help: string, labels: readonly string[] = []) {
    super('gauge', name, help, labels);
  }

  /** Adds a difference, so that several places share a gauge. */
  add(more: number, ...labels: Labels): void {
    this.valuesOf(labels)[0]! += more;
  }

  set(value: number, ...labels: Labels): void {
    this.valuesOf(labels)[0] = value;
  }

  /** Nothing is known at the moment. */
  forget(): void {
    this.series.clear();
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** How long something takes. */
export class Durations extends Measure {
  constructor(name: string, help: string, labels: readonly string[] = []) {
    super('histogram', name, help, labels, SECONDS);
  }

  add(milliseconds: number, ...labels: Labels): void {
    const seconds = milliseconds / 1000;
    const values = this.valuesOf(labels);
    let bucket = 0;
    while (bucket < this.bounds.length && seconds > this.bounds[bucket]!) bucket++;
    values[bucket]! += 1;
    values[this.bounds.length + 1]! += seconds;
  }

  /** Adds the time of some work, also if it fails. */
  async during<T>(work: () => Promise<T>, ...labels: Labels): Promise<T> {
    const begunAt = performance.now();
    try {
      return await work();
    } finally {
      this.add(performance.now() - begunAt, ...labels);
    }
  }
}

/** What this thread measures. */
export function measuredHere(): Measured[] {
  return Array.from(measures.values(), (measure) => measure.measured());
}

/** What threads have measured, as they said last. Of those that ended, what happened stays, and gauges go. */
export class MeasuredThreads {
  private readonly last = new Map<object, readonly Measured[]>();
  private ended: readonly Measured[] = [];

  note(thread: object, measured: readonly Measured[]): void {
    this.last.set(thread, measured);
  }

  end(thread: object): void {
    const counted = (this.last.get(thread) ?? []).filter(({ kind }) => kind !== 'gauge');
    this.last.delete(thread);
    this.ended = added([this.ended, counted]);
  }

  /** With what is measured in this thread. */
  all(): Measured[] {
    return added([measuredHere(), this.ended, ...this.last.values()]);
  }
}

/** The threads of this process. */
export const MEASURED_THREADS = new MeasuredThreads();

/** The sums of what several threads have measured. */
export function added(threads: readonly (readonly Measured[])[]): Measured[] {
  const sums = new Map<string, { first: Measured; series: Map<string, MeasuredSeries> }>();
  for (const measured of threads.flat()) {
    const known = sums.get(measured.name) ?? { first: measured, series: new Map<string, MeasuredSeries>() };
    sums.set(measured.name, known);
    for (const { labels, values } of measured.series) {
      const key = labels.join('\n');
      const before = known.series.get(key)?.values ?? [];
      known.series.set(key, { labels, values: values.map((value, at) => value + (before[at] ?? 0)) });
    }
  }
  return Array.from(sums.values(), ({ first, series }) => ({ ...first, series: [...series.values()] }));
}
