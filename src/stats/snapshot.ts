import type { EntityManager } from 'typeorm';
import { inSteps } from '../common/steps';
import { inChunks } from '../database/rows';
import type { Span } from '../storage/calendar';
import { type Counters, precedingIds, valuesAfterQuery } from '../storage/dictionary.query';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import { addSection, sectionsOf } from '../storage/segment-format';
import { Sums } from '../storage/sums';
import { limitedDays } from '../storage/value-limits';
import { type Entry, Values } from '../storage/values';
import type { Direction } from '../validation/page-query';
import { type CounterRow, rowsQuery } from './counters.query';
import { coveringSegments } from './covering-segments';
import { OrderedValues } from './ordered-values';
import { type Check, pause } from './questions/check';
import { planRange, type RangePlan, spansOf } from './range-plan';
import { rank, weightsOf } from './ranking';
import type { ReadCache } from './read-cache';
import type { State } from './state';

/** More rows wait to be packed only where packing is late. */
const ROWS_PER_READ = 4000;
const SPANS_PER_READ = 20;
const VALUES_PER_READ = 1000;

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
    private readonly check: Check,
  ) {}

  /** How often each value was counted in a range. */
  async sums({ name, range, search }: Selection): Promise<Sums> {
    const sums = await (range.to < this.state.closedBefore
      ? this.closedSums(name, range)
      : this.sumsWithOpenDays(name, range));
    return search === undefined ? sums : this.matching(name, sums, search);
  }

  /** Those of some sums whose value or label contains a case-folded text. */
  async matching(name: StatName, { counts }: Sums, search: string): Promise<Sums> {
    const found = new Sums(new Float64Array(counts.length));
    const ids = await this.valuesOf(name).matching(search, counts.length, this.check);
    for (const id of ids) if (id < counts.length) found.counts[id] = counts[id]!;
    return found;
  }

  /** The same of some days of a range, which the counters of the same snapshot name. */
  sumsOfDays(name: StatName, range: Span, days: ReadonlySet<number>): Promise<Sums> {
    const { closedBefore, version, folds, epoch } = this.state;
    const isClosed = range.to < closedBefore;
    const key = ['days', name, range.from, range.to];
    return this.cached(key, [isClosed ? version : folds, epoch], async () => {
      const sums = new Sums();
      const counters = this.countersOf(name);
      const isAsked = (day: number) => days.has(day);
      for (const spans of inChunks(spansOf(days), SPANS_PER_READ))
        await this.addSegments(sums, counters, { months: undefined, days: spans }, isAsked);
      await this.addRows(sums, counters, range, isAsked);
      return sums;
    });
  }

  /** The id of a value; undefined where it was never counted. */
  async idOf(name: StatName, value: string): Promise<number | undefined> {
    const behind = Buffer.from(`${value}\0`);
    const id = (await precedingIds(this.manager, this.countersOf(name), [behind])).get(0);
    const found = id !== undefined && (await this.valuesOf(name).of([id])).get(id);
    return found && found.toString() === value ? id : undefined;
  }

  /** The ids of all values that come before one. */
  async *idsBefore(name: StatName, value: string): AsyncGenerator<number> {
    let entries: Entry[] = [];
    do {
      const before = entries.at(-1)?.value ?? Buffer.from(value);
      const query = valuesAfterQuery(this.manager, this.countersOf(name), before, 'desc');
      entries = await query.limit(VALUES_PER_READ).getRawMany<Entry>();
      for (const { value_id } of entries) yield value_id;
      await this.pause();
    } while (entries.length === VALUES_PER_READ);
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
    const { manager, cache, state, check } = this;
    const values = this.valuesOf(name);
    const ordered = new OrderedValues(manager, this.countersOf(name), state.epoch, values, cache, check);
    const shown =
      order.by === 'value'
        ? await ordered.slice(ids, skip, take, order.direction)
        : await ordered.ofGroups(
            await inSteps(rank(ids, weightsOf(counts, order.direction), skip, take), () => this.pause()),
          );
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
      await this.addRange(sums, this.countersOf(name), range);
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
      await this.addRange(sums, this.countersOf(name), range);
      return sums;
    });
  }

  private cached(key: unknown[], version: number[], load: () => Promise<Sums>): Promise<Sums> {
    return this.cache.sumsOf([this.websiteId, ...key].join(' '), version.join(' '), load);
  }

  private addRange(sums: Sums, counters: Counters, range: Span): Promise<void> {
    const plan = planRange(range, this.state.mergedBefore);
    return this.addSegments(sums, counters, plan, (day) => day >= range.from && day <= range.to);
  }

  private async addSegments(
    sums: Sums,
    counters: Counters,
    plan: RangePlan,
    isAsked: (day: number) => boolean,
  ): Promise<void> {
    for await (const segment of coveringSegments(this.manager, counters, plan)) {
      for (const section of sectionsOf(segment)) if (isAsked(section.day)) addSection(sums, section);
      await this.pause();
    }
  }

  private async addRows(
    sums: Sums,
    counters: Counters,
    range: Span,
    isAsked = (_: number) => true,
  ): Promise<void> {
    for (let after: CounterRow | undefined, isWhole = false; !isWhole;) {
      const query = rowsQuery(this.manager, counters, range, after).limit(ROWS_PER_READ);
      const rows = await query.getRawMany<CounterRow>();
      for (const { day, value_id, hits } of rows) if (isAsked(day)) sums.add(value_id, Number(hits));
      isWhole = rows.length < ROWS_PER_READ;
      after = rows.at(-1);
      await this.pause();
    }
  }

  private pause(): Promise<void> {
    return pause(this.check);
  }

  private countersOf(name: StatName): Counters {
    return { websiteId: this.websiteId, name: DIMENSIONS[name].code };
  }
}
