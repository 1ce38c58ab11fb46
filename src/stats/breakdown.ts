import { day, dayText } from '../common/parsers';
import type { Span } from './cover';
import { DIMENSIONS } from './dimensions';
import type { StatEntryView } from './dto/stats.view';
import type { Order, Selection, Snapshot } from './snapshot';
import type { Sums } from './sums';

/** What was counted before: by value where a value is a day, which the days before have others of. */
interface Previous {
  range: Span;
  sums: Sums;
  byDay: Map<string, number> | undefined;
}

/** As many days, right before a range. */
export function previousRange({ from, to }: Span): Span {
  return { from: from - (to - from + 1), to: from - 1 };
}

/** The entries of one name over a range, beside what the range before says of them where that is asked for. */
export class Breakdown {
  readonly total: number;
  readonly sum: number;
  private readonly ids: Uint32Array;

  private constructor(
    private readonly snapshot: Snapshot,
    private readonly selection: Selection,
    readonly sums: Sums,
    private readonly previous: Previous | undefined,
  ) {
    this.ids = sums.ids();
    this.total = this.ids.length;
    this.sum = sums.total();
  }

  static async of(snapshot: Snapshot, selection: Selection, compares: boolean): Promise<Breakdown> {
    const sums = await snapshot.sums(selection);
    return new Breakdown(
      snapshot,
      selection,
      sums,
      compares ? await previously(snapshot, selection) : undefined,
    );
  }

  get previousSum(): number | undefined {
    return this.previous?.sums.total();
  }

  async page(order: Order, skip: number, take: number): Promise<StatEntryView[]> {
    const { snapshot, selection, sums, ids } = this;
    const counted = await snapshot.page(selection, sums, ids, order, skip, take);
    return counted.map(({ id, value }) => this.entry(id, value));
  }

  entry(id: number, value: string): StatEntryView {
    const { label } = DIMENSIONS[this.selection.name];
    const entry = { value, label: label(value), count: this.sums.counts[id]! };
    return this.previous ? { ...entry, previous_count: this.previousCount(id, value) } : entry;
  }

  private previousCount(id: number, value: string): number {
    const { range, sums, byDay } = this.previous!;
    if (!byDay) return sums.counts[id] ?? 0;
    const length = range.to - range.from + 1;
    return byDay.get(dayText(day(value) - length)) ?? 0;
  }
}

async function previously(snapshot: Snapshot, selection: Selection): Promise<Previous> {
  const range = previousRange(selection.range);
  const sums = await snapshot.sums({ ...selection, range });
  return {
    range,
    sums,
    byDay: DIMENSIONS[selection.name].days ? await byValue(snapshot, selection, sums) : undefined,
  };
}

async function byValue(snapshot: Snapshot, { name }: Selection, sums: Sums): Promise<Map<string, number>> {
  const ids = Array.from(sums.ids());
  const values = await snapshot.valuesOf(name).of(ids);
  return new Map(ids.map((id) => [values.get(id)!.toString(), sums.counts[id]!]));
}
