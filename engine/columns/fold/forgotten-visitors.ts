import { SALT_OUTLIVES_DAY_MS } from '../../hits/rules/salt-lifetime';
import type { DayClock } from '../../ground/time/day-clock';
import { DAY_MS } from '../../ground/time/days';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import { inPieces } from '../../database/rows';
import type { Moments, RewrittenWebsite } from '../../database/retention-rules';
import { decodeHits, encodeHits, type Hit } from '../../hits/hit';
import { forgetAt } from '../forget/forgetting';
import { anonymousDays } from '../seal/sealing-times';

/** It keeps a transaction short. */
const ROWS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1024 * 1024;
/** Ids follow the order of acceptance, unless the clock is set back. */
const OUT_OF_ORDER_MS = 3_600_000;

type Forgetting = Pick<DayClock, 'endOf'>;

/** Tells whether the visitor of a hit is forgotten at a moment. */
function isForgotten(clock: Forgetting, { day, visitor }: Hit, acceptedAt: number, now: number): boolean {
  return visitor !== '' && forgetAt(clock, day, acceptedAt) <= now;
}

/**
 * Removes visitors from hits that waited so long behind a failure that these visitors must be forgotten. Returns the
 * same list if there are none.
 */
export function withoutForgottenVisitors(
  hits: Hit[],
  acceptedAt: number,
  clock: Forgetting,
  now: number,
): Hit[] {
  if (!hits.some((hit) => isForgotten(clock, hit, acceptedAt, now))) return hits;
  return hits.map((hit) => (isForgotten(clock, hit, acceptedAt, now) ? { ...hit, visitor: '' } : hit));
}

/** The first moment at which a visitor of these hits is forgotten. */
export function firstForgottenAt(hits: Hit[], acceptedAt: number, clock: Forgetting): number {
  const days = new Set(hits.filter(({ visitor }) => visitor !== '').map(({ day }) => day));
  return Math.min(...Array.from(days, (day) => forgetAt(clock, day, acceptedAt)));
}

interface WaitingRow {
  id: number;
  accepted_at: number | string;
  hits: Buffer;
}

/** Removes the forgotten visitors from a website's inbox, even if a failure blocks its hits. */
export async function forgetWaitingVisitors(database: Database, website: RewrittenWebsite): Promise<boolean> {
  for (let last: number | undefined = 0; last !== undefined;) {
    if (!(await website.goOn())) return false;
    last = await forgetAfter(database, website, last);
    await yieldIfNeeded();
  }
  return true;
}

/**
 * Handles some rows after an id. Returns the last id, or undefined at the end, or where rows begin that were accepted
 * too late to have a forgotten visitor.
 */
async function forgetAfter(
  database: Database,
  { websiteId, moments, write }: RewrittenWebsite,
  after: number,
): Promise<number | undefined> {
  const sizes = await database.query<{ id: number; bytes: number; accepted_at: number | string }[]>(
    `SELECT id, bytes, accepted_at FROM inbox WHERE website_id = ? AND id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
    [websiteId, after],
  );
  const end = anonymousDays(moments).acceptedBefore + OUT_OF_ORDER_MS;
  const later = sizes.findIndex(({ accepted_at }) => Number(accepted_at) >= end);
  const old = later < 0 ? sizes : sizes.slice(0, later);
  const [some = []] = inPieces(old, ROWS_AT_ONCE, BYTES_AT_ONCE, ({ bytes }) => bytes);
  const last = some.at(-1)?.id;
  if (last === undefined) return undefined;
  const rows = await database.query<WaitingRow[]>(
    'SELECT id, accepted_at, hits FROM inbox WHERE website_id = ? AND id BETWEEN ? AND ? AND dropped IS NULL',
    [websiteId, some[0]!.id, last],
  );
  const changed = rows.flatMap((row) => {
    const hits = withoutVisitors(row, moments);
    return hits ? [{ id: row.id, hits }] : [];
  });
  if (changed.length > 0)
    await write(async (manager) => {
      for (const { id, hits } of changed)
        await manager.query('UPDATE inbox SET hits = ? WHERE website_id = ? AND id = ?', [
          hits,
          websiteId,
          id,
        ]);
    });
  return last;
}

/** The row without forgotten visitors. Undefined if it has none. An unreadable row is emptied and stays damaged. */
function withoutVisitors({ accepted_at, hits }: WaitingRow, moments: Moments): Buffer | undefined {
  const acceptedAt = Number(accepted_at);
  try {
    const all = decodeHits(hits);
    const left = withoutForgottenVisitors(all, acceptedAt, moments, moments.now);
    return left === all ? undefined : encodeHits(left);
  } catch {
    const isOld = acceptedAt + SALT_OUTLIVES_DAY_MS + DAY_MS <= moments.now;
    return isOld && hits.length > 0 ? Buffer.alloc(0) : undefined;
  }
}
