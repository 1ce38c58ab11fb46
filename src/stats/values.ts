import type { EntityManager } from 'typeorm';
import { Breaks } from '../common/breaks';
import type { Direction } from '../common/pagination';
import { fold } from '../common/parsers';
import { allValuesQuery, type Counters, matchingQuery, orderQuery, valuesQuery } from './counters.query';
import { DIMENSIONS, type StatName } from './dimensions';
import type { Ranked } from './ranking';

/** So many values are fetched to be put in order here; for more, the database's index is followed. */
const MOST_FETCHED = 1000;
const MOST_FOLLOWED = 50_000;
/** SQLite does nothing else while it looks through so many. */
const MOST_SEARCHED = 25_000;

export interface Entry {
  value_id: number;
  value: Buffer;
}

/** The dictionary of one dimension: what its ids stand for. */
export class Values {
  private readonly counters: Counters;
  private readonly known = new Map<number, Buffer>();

  constructor(
    private readonly manager: EntityManager,
    websiteId: number,
    private readonly name: StatName,
  ) {
    this.counters = { websiteId, name: DIMENSIONS[name].code };
  }

  async of(ids: number[]): Promise<Map<number, Buffer>> {
    const unknown = ids.filter((id) => !this.known.has(id));
    for (let from = 0; from < unknown.length; from += MOST_FETCHED) {
      const some = unknown.slice(from, from + MOST_FETCHED);
      const rows = await valuesQuery(this.manager, this.counters, some).getRawMany<Entry>();
      for (const { value_id, value } of rows) this.known.set(value_id, value);
    }
    return this.known;
  }

  /** Those of the first ids that contain a folded text, in their value or its label. */
  async matching(search: string, end: number): Promise<number[]> {
    const { label, labels } = DIMENSIONS[this.name];
    const found: number[] = [];
    const breaks = new Breaks();
    for (let from = 0; from < end; from += MOST_SEARCHED) {
      const ids = { from, to: from + MOST_SEARCHED - 1 };
      const query = matchingQuery(this.manager, this.counters, ids, search);
      for (const { value_id } of await query.getRawMany<{ value_id: number }>()) found.push(value_id);
      await breaks.whenDue();
    }
    if (labels !== 'in the code') return found;
    const all = await allValuesQuery(this.manager, this.counters).getRawMany<Entry>();
    const labelled = all.filter(({ value }) => fold(label(value.toString())).includes(search));
    return [...new Set([...found, ...labelled.map(({ value_id }) => value_id)])];
  }

  /** The stretches of several groups, one after the other. */
  async ranked(groups: Ranked[]): Promise<number[]> {
    await this.of(groups.flatMap(({ ids }) => (ids.length <= MOST_FETCHED ? ids : [])));
    const ranked: number[] = [];
    for (const { ids, skip, take } of groups) ranked.push(...(await this.stretch(ids, skip, take, 'asc')));
    return ranked;
  }

  /** Some of the ids, counted from the beginning of their order by value. */
  async stretch(ids: ArrayLike<number>, skip: number, take: number, direction: Direction): Promise<number[]> {
    if (take <= 0) return [];
    if (ids.length <= MOST_FETCHED)
      return (await this.ordered(Array.from(ids), direction)).slice(skip, skip + take);
    // The index is followed from the nearer end.
    const left = Math.max(0, ids.length - skip - take);
    if (left < skip) return (await this.first(ids, left + take, opposite(direction))).slice(left).reverse();
    return (await this.first(ids, skip + take, direction)).slice(skip);
  }

  private async ordered(ids: number[], direction: Direction): Promise<number[]> {
    const values = await this.of(ids);
    const upwards = ids.sort((one, other) => Buffer.compare(values.get(one)!, values.get(other)!));
    return direction === 'asc' ? upwards : upwards.reverse();
  }

  private async first(ids: ArrayLike<number>, size: number, direction: Direction): Promise<number[]> {
    const wanted = new Set(Array.from(ids));
    const found: number[] = [];
    const breaks = new Breaks();
    const query = orderQuery(this.manager, this.counters, direction === 'asc' ? 'ASC' : 'DESC');
    for (let offset = 0, limit = Math.max(MOST_FETCHED, 2 * size); ; offset += limit, limit *= 4) {
      limit = Math.min(limit, MOST_FOLLOWED);
      const rows = await query.offset(offset).limit(limit).getRawMany<{ value_id: number }>();
      for (const { value_id } of rows) if (wanted.has(value_id)) found.push(value_id);
      if (found.length >= size || rows.length < limit) return found.slice(0, size);
      await breaks.whenDue();
    }
  }
}

function opposite(direction: Direction): Direction {
  return direction === 'asc' ? 'desc' : 'asc';
}
