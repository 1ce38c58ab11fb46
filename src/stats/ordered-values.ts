import type { EntityManager } from 'typeorm';
import { inChunks } from '../database/rows';
import { type Counters, firstIdsQuery, precedingIds } from '../storage/dictionary.query';
import { type Entry, Values } from '../storage/values';
import type { Direction } from '../validation/page-query';
import { type Check, pause } from './questions/check';
import type { Group } from './ranking';
import type { ReadCache } from './read-cache';
import { type Placement, ValueOrder } from './value-order';

/** Up to so many values are fetched and sorted; for more, the order of the whole dictionary is used. */
const MAX_SORTED = 1000;
/** An order that lacks more of the values is read anew. */
const MAX_ADDED = 2000;
const IDS_PER_READ = 4000;
const VALUES_PER_READ = 100;

/** Picks ids by their place in the order of their values. */
export class OrderedValues {
  constructor(
    private readonly manager: EntityManager,
    private readonly counters: Counters,
    private readonly epoch: number,
    private readonly values: Values,
    private readonly cache: ReadCache,
    private readonly check: Check,
  ) {}

  /** The ids that a page shows of several groups, one group after the other. */
  async ofGroups(groups: Group[]): Promise<number[]> {
    await this.values.of(groups.flatMap(({ ids }) => (ids.length <= MAX_SORTED ? Array.from(ids) : [])));
    const shown: number[] = [];
    for (const { ids, skip, take } of groups) shown.push(...(await this.slice(ids, skip, take, 'asc')));
    return shown;
  }

  /** Some of the ids, counted from the beginning of their order. */
  async slice(ids: ArrayLike<number>, skip: number, take: number, direction: Direction): Promise<number[]> {
    const end = Math.min(skip + take, ids.length);
    if (end <= skip) return [];
    if (direction === 'desc') return (await this.slice(ids, ids.length - end, end - skip, 'asc')).reverse();
    if (ids.length <= MAX_SORTED) return (await this.sorted(Array.from(ids))).slice(skip, end);
    return (await this.orderWith(ids)).slice(ids, skip, end - skip);
  }

  private async sorted(ids: number[]): Promise<number[]> {
    const values = await this.values.all(ids);
    return ids.sort((one, other) => Buffer.compare(values.get(one)!, values.get(other)!));
  }

  private async orderWith(ids: ArrayLike<number>): Promise<ValueOrder> {
    const key = `${this.counters.websiteId} ${this.counters.name} ${this.epoch}`;
    const known = this.cache.orders.get(key);
    const order = known && (await this.complete(known, ids)) ? known : await this.loadWith(ids);
    this.cache.orders.set(key, order);
    return order;
  }

  private async loadWith(ids: ArrayLike<number>): Promise<ValueOrder> {
    const order = await this.load();
    await this.values.all(missingFrom(order, ids));
    return order;
  }

  private async load(): Promise<ValueOrder> {
    const pieces: Uint32Array[] = [];
    let last: Buffer | undefined;
    do {
      const query = firstIdsQuery(this.manager, this.counters, last).limit(IDS_PER_READ);
      const piece = Uint32Array.from(await query.getRawMany<Entry>(), ({ value_id }) => value_id);
      pieces.push(piece);
      if (piece.length < IDS_PER_READ) break;
      const lastId = piece.at(-1)!;
      last = (await this.values.of([lastId])).get(lastId)!;
      await pause(this.check);
    } while (last);
    return new ValueOrder(concatenated(pieces));
  }

  /** Puts missing values in their places; false where they are too many. */
  private async complete(order: ValueOrder, ids: ArrayLike<number>): Promise<boolean> {
    const before = new Map<number, number | undefined>();
    let missing = missingFrom(order, ids);
    while (missing.length > 0) {
      if (before.size + missing.length > MAX_ADDED) return false;
      for (const some of inChunks(missing, VALUES_PER_READ))
        for (const { id, before: preceding } of await this.preceding(some)) before.set(id, preceding);
      const found = new Set(missing.map((id) => before.get(id)).filter((id) => id !== undefined));
      missing = [...found].filter((id) => !order.has(id) && !before.has(id));
    }
    const inOrder = await this.sorted([...before.keys()]);
    if (inOrder.length > 0) order.add(inOrder.map((id) => ({ id, before: before.get(id) })));
    return true;
  }

  private async preceding(ids: number[]): Promise<Placement[]> {
    const values = await this.values.all(ids);
    const texts = ids.map((id) => values.get(id)!);
    const found = await precedingIds(this.manager, this.counters, texts);
    return ids.map((id, index) => ({ id, before: found.get(index) }));
  }
}

function missingFrom(order: ValueOrder, ids: ArrayLike<number>): number[] {
  const missing: number[] = [];
  for (let index = 0; index < ids.length; index++) if (!order.has(ids[index]!)) missing.push(ids[index]!);
  return missing;
}

function concatenated(pieces: Uint32Array[]): Uint32Array {
  const all = new Uint32Array(pieces.reduce((size, { length }) => size + length, 0));
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.length;
  }
  return all;
}
