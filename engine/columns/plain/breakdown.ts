import { dayText } from '../../ground/time/days';
import type { Span } from '../../hits/calendar';
import { DIMENSIONS } from '../../hits/stat-names';
import type { Sums } from '../../hits/sums';
import { entryOf, type StatEntry } from '../../questions/stat-entry';
import type { Order } from '../../questions/plain-request';
import type { SumsRequest, Snapshot } from './snapshot';

/** The counts of the range that is compared with. */
interface Previous {
  sum: number;
  countOf(code: number, value: string): number;
}

/** The code of a value without a count. */
const NOT_COUNTED = -1;

/** The entries of a name over a range, with the counts of a compared range if requested. */
export class Breakdown {
  readonly total: number;
  readonly sum: number;
  private readonly codes: Uint32Array;

  private constructor(
    private readonly snapshot: Snapshot,
    private readonly selection: SumsRequest,
    readonly sums: Sums,
    private readonly previous: Previous | undefined,
  ) {
    this.codes = sums.codes();
    this.total = this.codes.length;
    this.sum = sums.total();
  }

  static async of(snapshot: Snapshot, selection: SumsRequest, comparedWith?: Span): Promise<Breakdown> {
    const sums = await snapshot.sums(selection);
    const previous = comparedWith && (await previously(snapshot, selection, comparedWith));
    return new Breakdown(snapshot, selection, sums, previous);
  }

  get previousSum(): number | undefined {
    return this.previous?.sum;
  }

  async page(order: Order, skip: number, take: number): Promise<StatEntry[]> {
    const { snapshot, selection, sums, codes } = this;
    const counted = await snapshot.page(selection.name, sums, codes, order, skip, take);
    return counted.map(({ code, value }) => this.entry(code, value));
  }

  /** Days in order. With `fill`, days without a count are included. */
  async days(fill: boolean): Promise<StatEntry[]> {
    const counted = await this.page({ by: 'value', direction: 'asc' }, 0, this.total);
    if (!fill) return counted;
    const { from, to } = this.selection.range;
    const byDay = new Map(counted.map((entry) => [entry.value, entry]));
    return Array.from({ length: to - from + 1 }, (_, index) => {
      const value = dayText(from + index);
      return byDay.get(value) ?? this.entry(NOT_COUNTED, value);
    });
  }

  entry(code: number, value: string): StatEntry {
    const { selection, sums, previous } = this;
    return entryOf(selection.name, value, sums.counts[code] ?? 0, previous?.countOf(code, value));
  }
}

async function previously(snapshot: Snapshot, selection: SumsRequest, previous: Span): Promise<Previous> {
  if (DIMENSIONS[selection.name].days) return previousDays(snapshot, selection, previous);
  const sums = await snapshot.sums({ ...selection, range: previous });
  return { sum: sums.total(), countOf: (code) => sums.counts[code] ?? 0 };
}

/** Each day is counted under its counterpart in the range, and a search applies to the counterpart. */
async function previousDays(
  snapshot: Snapshot,
  { name, range, search = '' }: SumsRequest,
  previous: Span,
): Promise<Previous> {
  const distance = range.from - previous.from;
  const sums = await snapshot.sums({ name, range: previous });
  const counts = new Map<string, number>();
  for (const day of sums.codes()) {
    const counterpart = dayText(day + distance);
    if (counterpart.includes(search)) counts.set(counterpart, sums.counts[day]!);
  }
  const sum = [...counts.values()].reduce((total, count) => total + count, 0);
  return { sum, countOf: (_, value) => counts.get(value) ?? 0 };
}
