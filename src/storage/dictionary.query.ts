import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { Direction } from '../validation/page-query';
import type { Span } from './calendar';

/** One dimension of one website, by its code. */
export interface Counters {
  websiteId: number;
  name: number;
}

export type Select = SelectQueryBuilder<Record<string, unknown>>;

/** The values of some ids. */
export function valuesQuery(manager: EntityManager, counters: Counters, ids: number[]): Select {
  return dictionaryQuery(manager, counters)
    .addSelect('entry.value', 'value')
    .andWhere('entry.value_id IN (:...ids)', { ids });
}

/** The values of a span of ids. */
export function valuesBetweenQuery(manager: EntityManager, counters: Counters, ids: Span): Select {
  return dictionaryQuery(manager, counters)
    .addSelect('entry.value', 'value')
    .andWhere('entry.value_id BETWEEN :from AND :to', ids);
}

/** All values in their order, from behind one of them. */
export function valuesAfterQuery(
  manager: EntityManager,
  counters: Counters,
  after: Buffer | undefined,
  direction: Direction,
): Select {
  const query = dictionaryQuery(manager, counters).addSelect('entry.value', 'value');
  if (after) query.andWhere(`entry.value ${direction === 'asc' ? '>' : '<'} :after`, { after });
  return query.orderBy('entry.value', direction === 'asc' ? 'ASC' : 'DESC');
}

/** The ids in the order of their values, from behind one of them. */
export function firstIdsQuery(manager: EntityManager, counters: Counters, after: Buffer | undefined): Select {
  const query = dictionaryQuery(manager, counters);
  if (after) query.andWhere('entry.value > :after', { after });
  return query.orderBy('entry.value', 'ASC');
}

/** For each of some values, by its index, the id of the value right before it. */
export async function precedingIds(
  manager: EntityManager,
  { websiteId, name }: Counters,
  values: Buffer[],
): Promise<Map<number, number>> {
  const seeks = values.map(
    (_, index) =>
      `SELECT ${index} AS place, found.value_id AS value_id FROM (SELECT value_id FROM stat_values
      WHERE website_id = ? AND name = ? AND value < ? ORDER BY value DESC LIMIT 1) found`,
  );
  const rows = await manager.query<{ place: number; value_id: number }[]>(
    seeks.join(' UNION ALL '),
    values.flatMap((value) => [websiteId, name, value]),
  );
  return new Map(rows.map(({ place, value_id }) => [Number(place), value_id]));
}

/** Those ids of a span whose value, or whose label in the dictionary, contains a case-folded text. */
export function matchingQuery(manager: EntityManager, counters: Counters, ids: Span, search: string): Select {
  return dictionaryQuery(manager, counters)
    .andWhere('entry.value_id BETWEEN :from AND :to', ids)
    .andWhere('(INSTR(entry.folded, :search) > 0 OR INSTR(entry.folded_label, :search) > 0)', {
      search: Buffer.from(search),
    });
}

export function dictionaryQuery(manager: EntityManager, counters: Counters): Select {
  return manager
    .createQueryBuilder()
    .select('entry.value_id', 'value_id')
    .from('stat_values', 'entry')
    .where('entry.website_id = :websiteId AND entry.name = :name', counters);
}
