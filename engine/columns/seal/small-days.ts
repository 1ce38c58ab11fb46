import { placeholdersFor, type Queryable } from '../../database/rows';
import { type DayInBatches, readDaysInBatches } from '../batches/batches-of-websites';
import { ROLLED_UP_HITS } from '../rollups/rollup-rules';
import { dueAfter, type OverDays, SMALL_DAY_HITS } from './sealing-times';
import { isShared } from '../day-blocks';

/** Before deflation. Long texts make a day large. */
const SMALL_DAY_BYTES = 256 * 1024;

/** The state of a website that sealing depends on. */
interface WebsiteDays {
  websiteId: number;
  /** Each use of the website's lease raises it. While it is unchanged, so are the batches. */
  token: number;
  archivedFrom: number;
  columnsBefore: number;
  /** Tells whether other work on its sealed days follows. */
  isAwaited: boolean;
  inBatches: DayInBatches[];
  /** The days from `columnsBefore` on. */
  inColumns: { day: number; hits: number }[];
}

/** The small days of a website to seal, and when the website is due afterwards. */
export interface SmallDays {
  websiteId: number;
  token: number;
  days: DayInBatches[];
  bytes: number;
  dueAt: number;
}

export async function readDaysOfWebsites(reader: Queryable, websiteIds: number[]): Promise<WebsiteDays[]> {
  const places = placeholdersFor(websiteIds);
  // Tokens are read first, because later changes raise them.
  const websites = await reader.query<
    Record<'website_id' | 'token' | 'archived_from' | 'columns_before' | 'awaits', number | string>[]
  >(
    `SELECT counting.website_id AS website_id, token, archived_from, columns_before,
      (SELECT COUNT(*) FROM websites own
        WHERE own.id = counting.website_id AND ${isShared('own')})
      + (SELECT COUNT(*) FROM purges own WHERE own.website_id = counting.website_id) AS awaits
    FROM counting JOIN closed_days ON closed_days.website_id = counting.website_id
    WHERE counting.website_id IN ${places}`,
    websiteIds,
  );
  const inBatches = grouped(await readDaysInBatches(reader, websiteIds));
  const columns = await reader.query<Record<'website_id' | 'day' | 'hits', number | string>[]>(
    `SELECT own.website_id AS website_id, own.day AS day, own.hits AS hits
    FROM closed_days closed JOIN hit_days own ON own.website_id = closed.website_id AND own.day >= closed.columns_before
    WHERE closed.website_id IN ${places}`,
    websiteIds,
  );
  const inColumns = grouped(
    columns.map(({ website_id, day, hits }) => ({
      websiteId: Number(website_id),
      day: Number(day),
      hits: Number(hits),
    })),
  );
  return websites.map(({ website_id, token, archived_from, columns_before, awaits }) => ({
    websiteId: Number(website_id),
    token: Number(token),
    archivedFrom: Number(archived_from),
    columnsBefore: Number(columns_before),
    isAwaited: Number(awaits) > 0,
    inBatches: inBatches.get(Number(website_id)) ?? [],
    inColumns: inColumns.get(Number(website_id)) ?? [],
  }));
}

/** Undefined if there is nothing to seal, or more than small days. */
export function smallDaysOf(website: WebsiteDays, over: OverDays): SmallDays | undefined {
  const { websiteId, token, archivedFrom, columnsBefore, isAwaited, inBatches, inColumns } = website;
  const current = inBatches.filter(({ day }) => day >= archivedFrom);
  const days = current.filter(({ day }) => day < over.sealBefore);
  const isNew = ({ day }: DayInBatches) =>
    day >= Math.max(over.before, columnsBefore) && inColumns.every((own) => own.day !== day);
  if (days.length === 0 || !days.every((own) => isNew(own) && isSmall(own, over))) return undefined;
  if (days.some(({ day }) => day < over.rollAllBefore)) return undefined;
  const open = current.map(({ day }) => day).filter((day) => day >= over.sealBefore);
  const isRolledUp = days.some(({ hits }) => hits >= ROLLED_UP_HITS.day);
  const ahead = { open, late: [], sealed: [...inColumns, ...days] };
  // The days of a shared website are divided afterwards, and a purge waits for its next day.
  const dueAt = isRolledUp || isAwaited ? over.now : dueAfter(websiteId, ahead, over);
  return { websiteId, token, days, bytes: days.reduce((sum, { bytes }) => sum + bytes, 0), dueAt };
}

function isSmall({ firstHit, end, hits, bytes }: DayInBatches, { valueLimits }: OverDays): boolean {
  if (hits >= SMALL_DAY_HITS || hits > valueLimits.newPerDay) return false;
  return firstHit === 0 && end === hits && bytes <= SMALL_DAY_BYTES;
}

function grouped<T extends { websiteId: number }>(rows: T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const own = groups.get(row.websiteId) ?? [];
    groups.set(row.websiteId, own);
    own.push(row);
  }
  return groups;
}
