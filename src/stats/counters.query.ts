import { Brackets, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { monthOf, type Span } from '../storage/calendar';
import type { Counters, Select } from '../storage/dictionary.query';
import { type SegmentKey, SPANS } from '../storage/segment-format';
import { Website } from '../websites/website.entity';
import type { RangePlan } from './range-plan';
import { seenBy, type Viewer } from './viewer';

/** The oldest row of an inbox is among so many of the first ids: ids are not committed in the order of their moments. */
const MAX_OUT_OF_ORDER = 1000;

/** The state that statistics depend on: versions, closed days, and the oldest event that is not counted yet. */
export function stateQuery(
  manager: EntityManager,
  viewer: Viewer,
  websiteId: number,
): SelectQueryBuilder<Website> {
  const oldestWaiting = manager
    .createQueryBuilder()
    .select('MIN(waiting.accepted_at)')
    .from(
      (first) =>
        first
          .select('accepted_at')
          .from('inbox', 'inbox')
          .where('website_id = :websiteId')
          .orderBy('id')
          .limit(MAX_OUT_OF_ORDER),
      'waiting',
    );
  const state = manager
    .createQueryBuilder()
    .select('counting.folds', 'folds')
    .addSelect('counting.archived_from', 'archived_from')
    .addSelect('closed.closed_before', 'closed_before')
    .addSelect('closed.merged_before', 'merged_before')
    .addSelect('closed.version', 'version')
    .addSelect('closed.packed_version', 'packed_version')
    .addSelect('closed.open_version', 'open_version')
    .addSelect('closed.epoch', 'epoch')
    .addSelect(`(${oldestWaiting.getQuery()})`, 'oldest_waiting')
    .from(Website, 'website')
    .leftJoin('counting', 'counting', 'counting.website_id = website.id')
    .leftJoin('closed_days', 'closed', 'closed.website_id = website.id')
    .where('website.id = :websiteId', { websiteId });
  return seenBy(state, viewer);
}

export interface CounterRow {
  day: number;
  value_id: number;
  hits: number | string;
}

/** The rows of a range that are not packed, in the order of their keys, from behind one of them. */
export function rowsQuery(
  manager: EntityManager,
  counters: Counters,
  { from, to }: Span,
  after?: CounterRow,
): Select {
  const query = manager
    .createQueryBuilder()
    .select('counter.day', 'day')
    .addSelect('counter.value_id', 'value_id')
    .addSelect('counter.hits', 'hits')
    .from('stat_counters', 'counter')
    .where('counter.website_id = :websiteId AND counter.name = :name', counters)
    .andWhere('counter.day BETWEEN :from AND :to', { from: after?.day ?? from, to })
    .orderBy('counter.day')
    .addOrderBy('counter.value_id');
  // SQLite would look at all rows of the day before, where it says the same by alternatives.
  if (after) query.andWhere('(counter.day, counter.value_id) > (:day, :value_id)', after);
  return query;
}

/**
 * The segments that cover a range, in the order of their keys, from behind one of them. A segment of days never reaches
 * beyond its month. Of those over `maxBytes`, the data are left out.
 */
export function segmentsQuery(
  manager: EntityManager,
  counters: Counters,
  { months, days }: RangePlan,
  maxBytes: number,
  after?: SegmentKey,
): Select {
  const covering = new Brackets((where) => {
    for (const [index, { from, to }] of days.entries())
      where.orWhere(
        `(segment.span = ${SPANS.days} AND segment.day BETWEEN :month${index} AND :to${index} AND segment.last_day >= :from${index})`,
        { [`month${index}`]: monthOf(from), [`from${index}`]: from, [`to${index}`]: to },
      );
    if (months)
      where.orWhere(`(segment.span = ${SPANS.month} AND segment.day BETWEEN :firstMonth AND :lastMonth)`, {
        firstMonth: months.from,
        lastMonth: months.to,
      });
  });
  const query = manager
    .createQueryBuilder()
    .select('segment.span', 'span')
    .addSelect('segment.day', 'day')
    .addSelect('segment.part', 'part')
    .addSelect('LENGTH(segment.data)', 'bytes')
    .addSelect(`CASE WHEN LENGTH(segment.data) <= ${maxBytes} THEN segment.data END`, 'data')
    .from('stat_segments', 'segment')
    .where('segment.website_id = :websiteId AND segment.name = :name', counters)
    .andWhere(covering);
  if (after)
    query.andWhere(
      `(segment.span > :span OR (segment.span = :span AND
      (segment.day > :day OR (segment.day = :day AND segment.part > :part))))`,
      { span: after.span, day: after.day, part: after.part },
    );
  return query.orderBy('segment.span').addOrderBy('segment.day').addOrderBy('segment.part');
}
