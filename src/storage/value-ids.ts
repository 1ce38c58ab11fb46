import type { EntityManager } from 'typeorm';
import type { Queryable } from '../database/rows';
import { DIMENSIONS, STAT_NAMES, type StatName } from './dimensions';

/** Numbers of one name that may be given to new values. */
interface Supply {
  /** Numbers of former values, in their order. */
  free: number[];
  /** How many of them were used. */
  used: number;
  /** No other number of a former value is left. */
  complete: boolean;
  last: number;
}

/** Assigns numbers to the new values of a website: those that were freed first, then the next ones. */
export class ValueIds {
  /** The last number of names that have no free ones; valid while the lease is unbroken. */
  private readonly lastIds = new Map<StatName, number>();
  private supplies = new Map<StatName, Supply>();

  constructor(private readonly websiteId: number) {}

  begin(): void {
    this.supplies = new Map();
  }

  clear(): void {
    this.lastIds.clear();
    this.begin();
  }

  /** Reads what is needed to assign so many numbers. */
  async prepare(reader: Queryable, name: StatName, size: number): Promise<void> {
    if (this.supplies.has(name)) return;
    const known = this.lastIds.get(name);
    const free = known === undefined ? await this.freeIds(reader, name, size) : [];
    const last = known ?? (await this.lastId(reader, name));
    this.supplies.set(name, { free, used: 0, complete: free.length < size, last });
  }

  /** Undefined where no number up to `max` is left. */
  next(name: StatName, max: number): number | undefined {
    const supply = this.supplies.get(name)!;
    if (supply.used < supply.free.length) return supply.free[supply.used++];
    return supply.last < max ? ++supply.last : undefined;
  }

  usedFreeIds(): Map<number, number> {
    const used = new Map<number, number>();
    for (const [name, supply] of this.supplies)
      if (supply.used > 0) used.set(DIMENSIONS[name].code, supply.free[supply.used - 1]!);
    return used;
  }

  remember(): void {
    for (const [name, { free, used, complete, last }] of this.supplies)
      if (complete && used === free.length) this.lastIds.set(name, last);
  }

  private async freeIds(reader: Queryable, name: StatName, size: number): Promise<number[]> {
    const rows = await reader.query<{ value_id: number }[]>(
      `SELECT value_id FROM free_value_ids WHERE website_id = ? AND name = ? ORDER BY value_id LIMIT ${size}`,
      [this.websiteId, DIMENSIONS[name].code],
    );
    return rows.map(({ value_id }) => value_id);
  }

  private async lastId(reader: Queryable, name: StatName): Promise<number> {
    const last = await Promise.all(
      ['stat_values', 'free_value_ids'].map((table) => this.largest(reader, table, name)),
    );
    return Math.max(...last);
  }

  private async largest(reader: Queryable, table: string, name: StatName): Promise<number> {
    const [row] = await reader.query<{ last: number | null }[]>(
      `SELECT MAX(value_id) AS last FROM ${table} WHERE website_id = ? AND name = ?`,
      [this.websiteId, DIMENSIONS[name].code],
    );
    return row?.last ?? 0;
  }
}

/** The largest number of each name. */
export async function largestIds(reader: Queryable, websiteId: number): Promise<number[]> {
  const largest = STAT_NAMES.map(
    (name) =>
      `SELECT MAX(value_id) AS last FROM stat_values WHERE website_id = ? AND name = ${DIMENSIONS[name].code}`,
  );
  const rows = await reader.query<{ last: number | null }[]>(
    largest.join(' UNION ALL '),
    STAT_NAMES.map(() => websiteId),
  );
  return rows.map(({ last }) => last ?? 0);
}

/** Removes the free numbers of each name up to the one that was used last. */
export async function removeFreeIds(
  manager: EntityManager,
  websiteId: number,
  used: Map<number, number>,
): Promise<void> {
  for (const [name, last] of used)
    await manager.query('DELETE FROM free_value_ids WHERE website_id = ? AND name = ? AND value_id <= ?', [
      websiteId,
      name,
      last,
    ]);
}
