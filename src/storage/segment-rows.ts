import type { EntityManager } from 'typeorm';
import { changedBy, inPieces, insertRows, MAX_STATEMENT_BYTES, type Queryable } from '../database/rows';
import type { Span } from './calendar';
import type { Segment, SegmentKey } from './segment-format';

const MAX_ROWS_PER_READ = 100;
const KEY_COLUMNS = ['website_id', 'name', 'span', 'day', 'part'];
const COLUMNS = [...KEY_COLUMNS, 'last_day', 'data'];
const KEY = `(${KEY_COLUMNS.map((column) => `${column} = ?`).join(' AND ')})`;

/** Segments of one name on one website, either of days or of months. */
export interface SegmentGroup {
  websiteId: number;
  /** The code of the name. */
  name: number;
  span: number;
}

export type StoredSegment = Segment & Span;

export interface SegmentSize extends SegmentKey {
  bytes: number;
}

/** Rows that take the place of others. It is prepared without a transaction, under the website's lease. */
export interface SegmentChange {
  group: SegmentGroup;
  /** How many rows there are under each first day; all of them are removed. */
  removed: Map<number, number>;
  added: unknown[][];
}

/** The segments that were read are not all there any more, so nothing may be written. */
export class SegmentsChanged extends Error {}

/** Segments of a website in the order of their keys, read in pieces of limited size. */
export async function* segmentsWhere(
  reader: Queryable,
  websiteId: number,
  condition: string,
  parameters: unknown[],
): AsyncGenerator<StoredSegment> {
  const sizes = await sizesOfSegments(reader, websiteId, condition, parameters);
  for (const piece of inPieces(sizes, MAX_ROWS_PER_READ, MAX_STATEMENT_BYTES, ({ bytes }) => bytes))
    yield* await segmentsWithKeys(reader, piece);
}

/** The keys of segments in their order, and how large each is. */
export async function sizesOfSegments(
  reader: Queryable,
  websiteId: number,
  condition: string,
  parameters: unknown[],
  limit?: number,
): Promise<SegmentSize[]> {
  const rows = await reader.query<(SegmentSize & { bytes: number | string })[]>(
    `SELECT name, span, day, part, LENGTH(data) AS bytes FROM stat_segments
    WHERE website_id = ? AND ${condition} ORDER BY name, span, day, part ${limit === undefined ? '' : `LIMIT ${limit}`}`,
    [websiteId, ...parameters],
  );
  return rows.map((row) => ({ ...row, websiteId, bytes: Number(row.bytes) }));
}

/** Segments in the order of their keys. */
export async function segmentsWithKeys(reader: Queryable, keys: SegmentKey[]): Promise<StoredSegment[]> {
  const rows = await reader.query<SegmentRow[]>(
    `SELECT ${COLUMNS.join(', ')} FROM stat_segments
    WHERE ${keys.map(() => KEY).join(' OR ')} ORDER BY ${KEY_COLUMNS.join(', ')}`,
    keys.flatMap(valuesOf),
  );
  if (rows.length !== keys.length) throw new SegmentsChanged();
  return rows.map(({ website_id, last_day, ...row }) => ({
    ...row,
    websiteId: Number(website_id),
    from: row.day,
    to: last_day,
  }));
}

/** Hands out segments of several names in the order of the names, one name at a time. */
export function byName(segments: AsyncGenerator<StoredSegment>): (name: number) => Promise<StoredSegment[]> {
  let next: IteratorResult<StoredSegment, unknown> | undefined;
  return async (name) => {
    const own: StoredSegment[] = [];
    next ??= await segments.next();
    while (!next.done && next.value.name <= name) {
      if (next.value.name === name) own.push(next.value);
      next = await segments.next();
    }
    return own;
  };
}

/** How many segments there are under each first day of a range. */
export async function segmentsPerDay(
  reader: Queryable,
  { websiteId, name, span }: SegmentGroup,
  { from, to }: Span,
): Promise<Map<number, number>> {
  const rows = await reader.query<{ day: number; segments: number }[]>(
    `SELECT day, COUNT(*) AS segments FROM stat_segments
    WHERE website_id = ? AND name = ? AND span = ? AND day BETWEEN ? AND ? GROUP BY day`,
    [websiteId, name, span, from, to],
  );
  return new Map(rows.map(({ day, segments }) => [day, Number(segments)]));
}

export async function applySegments(manager: EntityManager, changes: SegmentChange[]): Promise<void> {
  for (const { group, removed } of changes)
    for (const [day, segments] of removed) {
      const deleted = await changedBy(
        manager,
        'DELETE FROM stat_segments WHERE website_id = ? AND name = ? AND span = ? AND day = ?',
        [group.websiteId, group.name, group.span, day],
      );
      if (deleted !== segments) throw new SegmentsChanged();
    }
  await insertRows(
    manager,
    'stat_segments',
    COLUMNS,
    changes.flatMap(({ added }) => added),
  );
}

export async function deleteSegments(manager: EntityManager, keys: SegmentKey[]): Promise<void> {
  if (keys.length === 0) return;
  const deleted = await changedBy(
    manager,
    `DELETE FROM stat_segments WHERE ${keys.map(() => KEY).join(' OR ')}`,
    keys.flatMap(valuesOf),
  );
  if (deleted !== keys.length) throw new SegmentsChanged();
}

/** About what it takes to write changes. */
export function bytesOfSegments(changes: SegmentChange[]): number {
  return changes.flatMap(({ added }) => added).reduce((sum, row) => sum + (row.at(-1) as Buffer).length, 0);
}

function valuesOf({ websiteId, name, span, day, part }: SegmentKey): number[] {
  return [websiteId, name, span, day, part];
}

interface SegmentRow extends Omit<Segment, 'websiteId'> {
  website_id: number | string;
  last_day: number;
}
