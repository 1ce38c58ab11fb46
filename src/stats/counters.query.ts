import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { Direction } from '../common/pagination';
import { Website } from '../websites/website.entity';
import { type Cover, monthOf, type Span } from './cover';
import { SPANS } from './segment';

/** One dimension of one website, by its code. */
export interface Counters {
  websiteId: number;
  name: number;
}

type Select = SelectQueryBuilder<Record<string, unknown>>;

/** A website as its statistics are read: how much of it is closed, and since when something waits to be counted. */
export function stateQuery(
  manager: EntityManager,
  ownerId: number,
  websiteId: number,
): SelectQueryBuilder<Website> {
  const oldestWaiting = manager
    .createQueryBuilder()
    .select('MIN(waiting.accepted_at)')
    .from('inbox', 'waiting')
    .where('waiting.website_id = :websiteId');
  return manager
    .createQueryBuilder()
    .select('counting.folds', 'folds')
    .addSelect('closed.closed_before', 'closed_before')
    .addSelect('closed.merged_before', 'merged_before')
    .addSelect('closed.version', 'version')
    .addSelect('closed.packed_version', 'packed_version')
    .addSelect(`(${oldestWaiting.getQuery()})`, 'oldest_waiting')
    .from(Website, 'website')
    .leftJoin('counting', 'counting', 'counting.website_id = website.id')
    .leftJoin('closed_days', 'closed', 'closed.website_id = website.id')
    .where('website.id = :websiteId AND website.userId = :ownerId', { websiteId, ownerId });
}

/** The counters that are not packed, added up over a range. */
export function rowsQuery(manager: EntityManager, counters: Counters, span: Span): Select {
  return manager
    .createQueryBuilder()
    .select('counter.value_id', 'value_id')
    .addSelect('SUM(counter.hits)', 'hits')
    .from('stat_counters', 'counter')
    .where('counter.website_id = :websiteId AND counter.name = :name', counters)
    .andWhere('counter.day BETWEEN :from AND :to', span)
    .groupBy('counter.value_id');
}

/** The segments that a range is covered with. One of days never reaches beyond its month. */
export function segmentsQuery(manager: EntityManager, counters: Counters, { months, days }: Cover): Select {
  const covering = days.map(
    ({ from, to }) =>
      `(segment.span = ${SPANS.days} AND segment.day BETWEEN ${monthOf(from)} AND ${to} AND segment.last_day >= ${from})`,
  );
  if (months)
    covering.push(`(segment.span = ${SPANS.month} AND segment.day BETWEEN ${months.from} AND ${months.to})`);
  return manager
    .createQueryBuilder()
    .select('segment.span', 'span')
    .addSelect('segment.day', 'day')
    .addSelect('segment.part', 'part')
    .addSelect('segment.data', 'data')
    .from('stat_segments', 'segment')
    .where('segment.website_id = :websiteId AND segment.name = :name', counters)
    .andWhere(`(${covering.join(' OR ')})`);
}

/** The values of some ids. */
export function valuesQuery(manager: EntityManager, counters: Counters, ids: number[]): Select {
  return dictionaryQuery(manager, counters)
    .addSelect('entry.value', 'value')
    .andWhere(`entry.value_id IN (${ids.map(Number).join(', ')})`);
}

/** All values with their ids. */
export function allValuesQuery(manager: EntityManager, counters: Counters): Select {
  return dictionaryQuery(manager, counters).addSelect('entry.value', 'value');
}

/** All values in their order, from behind one of them. */
export function valuesAfterQuery(
  manager: EntityManager,
  counters: Counters,
  after: Buffer | undefined,
  direction: Direction,
): Select {
  const query = allValuesQuery(manager, counters);
  if (after) query.andWhere(`entry.value ${direction === 'asc' ? '>' : '<'} :after`, { after });
  return query.orderBy('entry.value', direction === 'asc' ? 'ASC' : 'DESC');
}

/** The ids in the order of their values. */
export function orderQuery(manager: EntityManager, counters: Counters, direction: 'ASC' | 'DESC'): Select {
  return dictionaryQuery(manager, counters).orderBy('entry.value', direction);
}

/** Those of some ids whose values contain a folded text, or whose labels in the dictionary do. */
export function matchingQuery(manager: EntityManager, counters: Counters, ids: Span, search: string): Select {
  return dictionaryQuery(manager, counters)
    .andWhere('entry.value_id BETWEEN :from AND :to', ids)
    .andWhere('(INSTR(entry.folded, :search) > 0 OR INSTR(entry.folded_label, :search) > 0)', {
      search: Buffer.from(search),
    });
}

function dictionaryQuery(manager: EntityManager, counters: Counters): Select {
  return manager
    .createQueryBuilder()
    .select('entry.value_id', 'value_id')
    .from('stat_values', 'entry')
    .where('entry.website_id = :websiteId AND entry.name = :name', counters);
}
