import type { EntityManager } from 'typeorm';
import { Breaks } from '../common/breaks';
import type { Direction } from '../common/pagination';
import type { ClosedSums } from './closed-sums';
import { type Counters, rowsQuery, segmentsQuery } from './counters.query';
import { coverOf, type Span } from './cover';
import { DIMENSIONS, type StatName } from './dimensions';
import { rank, weightsOf } from './ranking';
import { addSection, sectionsOf, type Segment } from './segment';
import { Sums } from './sums';
import { Values } from './values';

/** How a website stands at the moment of a snapshot. */
export interface State {
  /** Raised by whatever changes a counter. */
  folds: number;
  /** Raised by whatever changes a counter of a day before `closedBefore`. */
  version: number;
  /** The version at which closed days had no rows. */
  packedVersion: number;
  closedBefore: number;
  /** The months before it have their sums packed. */
  mergedBefore: number;
}

export interface Selection {
  name: StatName;
  range: Span;
  search?: string | undefined;
}

export interface Order {
  by: 'count' | 'value';
  direction: Direction;
}

export interface Counted {
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
    private readonly closed: ClosedSums,
  ) {}

  /** How often each value was counted in a range: what is closed from the cache where it is there, what is open anew. */
  async sums({ name, range, search }: Selection): Promise<Sums> {
    const { closedBefore } = this.state;
    const open = { from: Math.max(range.from, closedBefore), to: range.to };
    const closed = { from: range.from, to: Math.min(range.to, closedBefore - 1) };
    let sums = closed.from <= closed.to ? await this.closedSums(name, closed) : new Sums();
    if (open.from <= open.to) await this.addRows((sums = sums.copy()), this.countersOf(name), open);
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
    const values = this.valuesOf(name);
    const shown =
      order.by === 'value'
        ? await values.stretch(ids, skip, Math.min(take, ids.length - skip), order.direction)
        : await values.ranked(rank(ids, weightsOf(counts, order.direction), skip, take));
    const texts = await values.of(shown);
    return shown.map((id): Counted => ({ id, value: texts.get(id)!.toString(), count: counts[id]! }));
  }

  valuesOf(name: StatName): Values {
    return new Values(this.manager, this.websiteId, name);
  }

  private async closedSums(name: StatName, range: Span): Promise<Sums> {
    const key = `${this.websiteId} ${name} ${range.from} ${range.to}`;
    const kept = this.closed.get(key, this.state.version);
    if (kept) return kept;
    const sums = new Sums();
    await this.addSegments(sums, this.countersOf(name), range);
    const { version, packedVersion } = this.state;
    if (version !== packedVersion) await this.addRows(sums, this.countersOf(name), range);
    this.closed.keep(key, version, sums);
    return sums;
  }

  private async addSegments(sums: Sums, counters: Counters, range: Span): Promise<void> {
    const cover = coverOf(range, this.state.mergedBefore);
    const rows = await segmentsQuery(this.manager, counters, cover).getRawMany<Segment>();
    const breaks = new Breaks();
    for (const row of rows) {
      for (const section of sectionsOf({ ...row, ...counters }))
        if (section.day >= range.from && section.day <= range.to) addSection(sums, section);
      await breaks.whenDue();
    }
  }

  private async addRows(sums: Sums, counters: Counters, range: Span): Promise<void> {
    const rows = await rowsQuery(this.manager, counters, range).getRawMany<{
      value_id: number;
      hits: unknown;
    }>();
    for (const { value_id, hits } of rows) sums.add(value_id, Number(hits));
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
