import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Span } from '../storage/calendar';
import type { Counters } from '../storage/dictionary.query';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import { addSection, sectionsOf } from '../storage/segment-format';
import { Sums } from '../storage/sums';
import { limitedDays } from '../storage/value-limits';
import { Values } from '../storage/values';
import type { Direction } from '../validation/page-query';
import { type CounterRow, rowsQuery } from './counters.query';
import { coveringSegments } from './covering-segments';
import { OrderedValues } from './ordered-values';
import { planRange } from './range-plan';
import { rank, weightsOf } from './ranking';
import type { ReadCache } from './read-cache';
import type { State } from './state';

/** More rows wait to be packed only where packing is late. */
const ROWS_PER_READ = 20_000;

export interface Selection {
  name: StatName;
  range: Span;
  search?: string | undefined;
}

export interface Order {
  by: 'count' | 'value';
  direction: Direction;
}

export interface CountedEntry {
  id: number;
  value: string;
  count: number;
}

/** What the tables say of one website at one moment. */
export class Snapshot {
  constructor(
    private readonly manager: EntityManager,
    readonly websiteId: number,
    readonly state: State,
    private readonly cache: ReadCache,
  ) {}

  /** How often each value was counted in a range. */
  async sums({ name, range, search }: Selection): Promise<Sums> {
    const sums = await (range.to < this.state.closedBefore
      ? this.closedSums(name, range)
      : this.sumsWithOpenDays(name, range));
    return search === undefined
      ? sums
      : only(sums, await this.valuesOf(name).matching(search, sums.counts.length));
  }

  /** A page of the values that were counted. */
  async page(
    { name }: Selection,
    { counts }: Sums,
    ids: Uint32Array,
    order: Order,
    skip: number,
    take: number,
  ) {
    const { manager, cache, state } = this;
    const values = this.valuesOf(name);
    const ordered = new OrderedValues(manager, this.countersOf(name), state.epoch, values, cache);
    const shown =
      order.by === 'value'
        ? await ordered.slice(ids, skip, take, order.direction)
        : await ordered.ofGroups(rank(ids, weightsOf(counts, order.direction), skip, take));
    const texts = await values.all(shown);
    return shown.map((id): CountedEntry => ({ id, value: texts.get(id)!.toString(), count: counts[id]! }));
  }

  /** On how many days of a range values of a name were counted as `(other)` because of the limits. */
  limitedDays(name: StatName, range: Span): Promise<number> {
    return limitedDays(this.manager, this.websiteId, DIMENSIONS[name].code, range);
  }

  valuesOf(name: StatName): Values {
    return new Values(this.manager, this.websiteId, name);
  }

  private closedSums(name: StatName, range: Span): Promise<Sums> {
    const { version, packedVersion, epoch } = this.state;
    return this.cached(['closed', name, range.from, range.to], [version, epoch], async () => {
      const sums = new Sums();
      await this.addSegments(sums, this.countersOf(name), range);
      if (version !== packedVersion) await this.addRows(sums, this.countersOf(name), range);
      return sums;
    });
  }

  /** Each fold changes them, so they are kept for the other pages of a list alone. */
  private sumsWithOpenDays(name: StatName, range: Span): Promise<Sums> {
    const { closedBefore, folds, epoch } = this.state;
    return this.cached(['all', name, range.from, range.to], [folds, epoch], async () => {
      const open = { from: Math.max(range.from, closedBefore), to: range.to };
      const sums = (await this.openSegments(name, open)).copy();
      if (range.from < open.from)
        sums.addAll(await this.closedSums(name, { from: range.from, to: open.from - 1 }));
      await this.addRows(sums, this.countersOf(name), open);
      return sums;
    });
  }

  private openSegments(name: StatName, range: Span): Promise<Sums> {
    const { openVersion, epoch } = this.state;
    return this.cached(['open', name, range.from, range.to], [openVersion, epoch], async () => {
      const sums = new Sums();
      await this.addSegments(sums, this.countersOf(name), range);
      return sums;
    });
  }

  private cached(key: unknown[], version: number[], load: () => Promise<Sums>): Promise<Sums> {
    return this.cache.sumsOf([this.websiteId, ...key].join(' '), version.join(' '), load);
  }

  private async addSegments(sums: Sums, counters: Counters, range: Span): Promise<void> {
    const plan = planRange(range, this.state.mergedBefore);
    for await (const segment of coveringSegments(this.manager, counters, plan)) {
      for (const section of sectionsOf(segment))
        if (section.day >= range.from && section.day <= range.to) addSection(sums, section);
      await yieldIfNeeded();
    }
  }

  private async addRows(sums: Sums, counters: Counters, range: Span): Promise<void> {
    for (let after: CounterRow | undefined, isWhole = false; !isWhole;) {
      const query = rowsQuery(this.manager, counters, range, after).limit(ROWS_PER_READ);
      const rows = await query.getRawMany<CounterRow>();
      for (const { value_id, hits } of rows) sums.add(value_id, Number(hits));
      isWhole = rows.length < ROWS_PER_READ;
      after = rows.at(-1);
      await yieldIfNeeded();
    }
  }

  private countersOf(name: StatName): Counters {
    return { websiteId: this.websiteId, name: DIMENSIONS[name].code };
  }
}

function only({ counts }: Sums, ids: number[]): Sums {
  const sums = new Sums(new Float64Array(counts.length));
  for (const id of ids) if (id < counts.length) sums.counts[id] = counts[id]!;
  return sums;
}
