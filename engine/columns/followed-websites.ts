import type { Database } from '../database/database';
import { CLOCKS_DIFFER_MS } from '../ground/time/clock-from';
import { DAY_MS } from '../ground/time/days';
import type { Dialect } from '../database/dialect';
import { changedBy, insertRows, placeholdersFor, type Queryable, type Transaction } from '../database/rows';
import { readDays } from './stored-days';
import { type Cursor } from '../questions/conversions-request';
import { type Followed } from '../port';
import type { Exclusion } from '../questions/exclusions';
import { exclusionsIn } from './left-out';

/*
 * A website is followed if somebody reads each of its new hits once, from cursor to cursor. The row of a day in
 * `followed_days` says how many of its hits were read; a day without a row has no hit that was read. Columns have lost
 * the order of acceptance, so a day is not sealed past its place. A reader that does not keep up holds days back for an
 * hour; then they are sealed, and the rest of their hits is not read.
 */

/** Earlier days are not followed. Hits of a day are accepted for two days, and may wait in the inbox. */
const FOLLOWED_DAYS = 7;
const HELD_MS = 3_600_000;

/** What a cursor says. */
export interface Reading {
  /** The number of read hits of each day. */
  readonly places: readonly (readonly [day: number, place: number])[];
  /** The value of `counting.folds` at which no hit was left. */
  readonly folds: number;
  readonly readAt: number;
  /** Tells whether it left no hit unread. Only such a reading ends the hold of days, or they would be held on and on. */
  readonly isAll: boolean;
}

export function cursorOf(reading: Reading): Cursor {
  return JSON.stringify(reading);
}

export function readingOf(cursor: Cursor): Reading {
  return JSON.parse(cursor) as Reading;
}

/** Undefined if the website is not followed. */
export async function readFollowed(reader: Queryable, websiteId: number): Promise<Followed | undefined> {
  const rows = await reader.query<Record<'folds' | 'read_at' | 'day' | 'place', number | string | null>[]>(
    `SELECT website.folds AS folds, website.read_at AS read_at, own.day AS day, own.place AS place
    FROM followed_websites website LEFT JOIN followed_days own ON own.website_id = website.website_id
    WHERE website.website_id = ?`,
    [websiteId],
  );
  const [first] = rows;
  if (!first) return undefined;
  const readAt = Number(first.read_at);
  const places = rows
    .filter(({ day }) => day !== null)
    .map(({ day, place }) => [Number(day), Number(place)] as const);
  return { cursor: cursorOf({ places, folds: Number(first.folds), readAt, isAll: false }), readAt };
}

export function firstFollowedDay(today: number): number {
  return today - FOLLOWED_DAYS;
}

/** Follows a website from now on, unless it is followed already. */
export async function follow(
  manager: Transaction,
  { insertIfMissing }: Dialect,
  websiteId: number,
  now: number,
): Promise<void> {
  const { folds } = await readCounted(manager, websiteId);
  const begun = await changedBy(
    manager,
    `${insertIfMissing} followed_websites (website_id, folds, read_at, held_at) VALUES (?, ?, ?, NULL)`,
    [websiteId, folds, now],
  );
  if (begun === 0) return;
  await manager.query('DELETE FROM followed_days WHERE website_id = ?', [websiteId]);
  // In some time zones it is still the day before.
  const from = firstFollowedDay(Math.floor(now / DAY_MS) - 1);
  const days = await readDays(manager, websiteId, { from });
  const rows = days.map(({ day, hits }) => [websiteId, day, hits]);
  await insertRows(manager, 'followed_days', ['website_id', 'day', 'place'], rows);
}

/** Whoever follows or reads the website meanwhile waits for the end of the transaction. */
export async function unfollow(manager: Transaction, websiteId: number): Promise<void> {
  for (const table of ['followed_websites', 'followed_days'])
    await manager.query(`DELETE FROM ${table} WHERE website_id = ?`, [websiteId]);
}

/** What readers of new hits go by. */
export async function readCounted(
  reader: Queryable,
  websiteId: number,
): Promise<{ folds: number; exclusions: Exclusion[] }> {
  const [row] = await reader.query<{ folds: number | string; exclusions: string | null }[]>(
    `SELECT counting.folds, left_out.exclusions FROM counting
    LEFT JOIN left_out ON left_out.website_id = counting.website_id WHERE counting.website_id = ?`,
    [websiteId],
  );
  return { folds: Number(row?.folds ?? 0), exclusions: exclusionsIn(row?.exclusions) };
}

/**
 * Moves the cursor of a website, in the transaction of what came of a reading. False if another reader moved it since
 * `before`, or the website is not followed any more: then the transaction must fail.
 */
export async function moveCursor(
  manager: Transaction,
  websiteId: number,
  before: Cursor,
  after: Cursor,
): Promise<boolean> {
  const [old, { places, folds, readAt, isAll }] = [readingOf(before), readingOf(after)];
  const moved = await changedBy(
    manager,
    `UPDATE followed_websites SET folds = ?, read_at = ?${isAll ? ', held_at = NULL' : ''}
    WHERE website_id = ? AND read_at = ? AND folds = ?`,
    [folds, readAt, websiteId, old.readAt, old.folds],
  );
  if (moved !== 1) return false;
  await manager.query('DELETE FROM followed_days WHERE website_id = ?', [websiteId]);
  const rows = places.map(([day, place]) => [websiteId, day, place]);
  await insertRows(manager, 'followed_days', ['website_id', 'day', 'place'], rows);
  return true;
}

/** A reader at work on the day fails, and begins anew from the end of the hits that are left. */
export async function lowerPlace(
  manager: Transaction,
  websiteId: number,
  { day, hits }: { day: number; hits: number },
): Promise<void> {
  await manager.query(
    'UPDATE followed_websites SET folds = CASE WHEN folds < 0 THEN folds - 1 ELSE -1 END WHERE website_id = ?',
    [websiteId],
  );
  await manager.query('UPDATE followed_days SET place = ? WHERE website_id = ? AND day = ? AND place > ?', [
    hits,
    websiteId,
    day,
    hits,
  ]);
}

/** A day with all of its hits. */
interface DayOfWebsite {
  websiteId: number;
  day: number;
  hits: number;
}

/**
 * The days among some that must not be sealed yet, because a reader has not read their hits. Begins their hour, so call
 * it with days that are due. Days before `from` are not held.
 */
export async function holdUnread<D extends DayOfWebsite>(
  database: Database,
  days: readonly D[],
  { now, from }: { now: number; from: number },
): Promise<D[]> {
  const recent = days.filter(({ day }) => day >= from);
  const ids = [...new Set(recent.map(({ websiteId }) => websiteId))];
  if (ids.length === 0) return [];
  const rows = await database.query<Record<'website_id' | 'day' | 'place', number | string | null>[]>(
    `SELECT website.website_id AS website_id, own.day AS day, own.place AS place
    FROM followed_websites website LEFT JOIN followed_days own ON own.website_id = website.website_id
    WHERE website.website_id IN ${placeholdersFor(ids)} AND (website.held_at IS NULL OR website.held_at > ?)`,
    [...ids, now - HELD_MS],
  );
  const followed = new Set(rows.map(({ website_id }) => Number(website_id)));
  const places = new Map(rows.map(({ website_id, day, place }) => [`${website_id} ${day}`, Number(place)]));
  const held = recent.filter(
    ({ websiteId, day, hits }) => followed.has(websiteId) && (places.get(`${websiteId} ${day}`) ?? 0) < hits,
  );
  await beginHold(database, new Set(held.map(({ websiteId }) => websiteId)), now);
  return held;
}

/** Days before it are not held if all days before a day are over. A reader may be a day ahead. */
export function firstHeldDay(sealBefore: number): number {
  return firstFollowedDay(sealBefore) + 1;
}

/** Anew if it seems to begin later: the clock was ahead then. */
async function beginHold(database: Database, websiteIds: ReadonlySet<number>, now: number): Promise<void> {
  if (websiteIds.size === 0) return;
  await database.execute(
    `UPDATE followed_websites SET held_at = ? WHERE website_id IN ${placeholdersFor([...websiteIds])}
      AND (held_at IS NULL OR held_at > ?)`,
    [now, ...websiteIds, now + CLOCKS_DIFFER_MS],
  );
}
