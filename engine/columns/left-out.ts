import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../database/dialect';
import { insertAll, type Queryable, type Transaction } from '../database/rows';
import { monthOf, type Span } from '../hits/calendar';
import type { Exclusion } from '../questions/exclusions';
import { addClosedDays, addCounting, makeDue, makeDueNow, raiseCountsVersion } from './closed-days';
import { removeDivision } from './page-filters';
import { removeSpansWithin } from './rollups/rollup-rows';
import { DaysChanged } from './segments/hit-segments';

/*
 * The exclusions of a website are written out in one row, so that the first statement of a question reads them with the
 * versions of its days. A rollup has the exclusions of its days applied. A change of exclusions removes the rollups of
 * the days that it concerns, and the counting process makes them anew. Batches and checkpoints have all hits.
 *
 * The exclusions that are being purged have rows in `purges`. Such an exclusion begins with the first day that is left:
 * the transaction that removes the hits of a day also moves its beginning, so that no day is purged twice. With its last
 * day it goes, and its row with it.
 */

const LAST_DAY = 2 ** 31 - 1;

export function exclusionsIn(text: string | null | undefined): Exclusion[] {
  return typeof text === 'string' ? (JSON.parse(text) as Exclusion[]) : [];
}

export async function readExclusions(reader: Queryable, websiteId: number): Promise<Exclusion[]> {
  const [row] = await reader.query<{ exclusions: string }[]>(
    'SELECT exclusions FROM left_out WHERE website_id = ?',
    [websiteId],
  );
  return exclusionsIn(row?.exclusions);
}

/** Replaces the exclusions of a website. Days before `keptFrom` stay as they were counted. */
export async function leaveOut(
  tx: Transaction,
  dialect: Dialect,
  websiteId: number,
  exclusions: readonly Exclusion[],
  keptFrom: number,
): Promise<void> {
  const found = await readExclusions(tx, websiteId);
  if (JSON.stringify(found) === JSON.stringify(leftOf(exclusions, found))) return;
  // First, because the counting process locks this row before those of days.
  await makeDue(tx, websiteId);
  // The counting process may have purged days until now.
  const before = await readExclusions(tx, websiteId);
  const after = leftOf(exclusions, before);
  const purged = after.filter(({ purge }) => purge).map(({ id }) => id);
  if (purged.length > 0) await addCounting(dialect, tx, websiteId);
  await addClosedDays(dialect, tx, websiteId);
  if (purged.length > 0) await makeDueNow(tx, websiteId);
  await raiseCountsVersion(tx, websiteId);
  const changed = changedDays(before, after).filter(({ to }) => to >= keptFrom);
  for (const { from, to } of changed) {
    const days = { from: Math.max(from, keptFrom), to };
    await removeSpansWithin(tx, websiteId, days, { from: monthOf(days.from), to });
  }
  // Days of a shared page were divided by the visitors that viewers saw.
  if (changed.length > 0) await removeDivision(tx, websiteId);
  await store(tx, websiteId, after);
  await tx.query('DELETE FROM purges WHERE website_id = ?', [websiteId]);
  const rows = purged.map((id) => [websiteId, id]);
  await insertAll(tx, [{ table: 'purges', columns: ['website_id', 'exclusion_id'], rows }]);
}

/** What is left of exclusions. A purge begins with an exclusion that is known, so another one has ended. */
function leftOf(exclusions: readonly Exclusion[], known: readonly Exclusion[]): Exclusion[] {
  return exclusions.flatMap((own) => {
    if (!own.purge) return [own];
    const before = known.find(({ id }) => id === own.id);
    return before ? [{ ...own, from: before.purge ? before.from : own.from }] : [];
  });
}

/** Notes that the days of an exclusion before one are purged, if the exclusion has not changed. */
export async function notePurged(
  tx: Transaction,
  websiteId: number,
  purged: Exclusion,
  before: number,
): Promise<void> {
  const exclusions = await readExclusions(tx, websiteId);
  const place = exclusions.findIndex((own) => isDeepStrictEqual(own, purged));
  if (place < 0) throw new DaysChanged();
  const isOver = before > purged.to!;
  await store(
    tx,
    websiteId,
    exclusions.toSpliced(place, 1, ...(isOver ? [] : [{ ...purged, from: before }])),
  );
  if (isOver)
    await tx.query('DELETE FROM purges WHERE website_id = ? AND exclusion_id = ?', [websiteId, purged.id]);
}

async function store(tx: Transaction, websiteId: number, exclusions: readonly Exclusion[]): Promise<void> {
  await tx.query('DELETE FROM left_out WHERE website_id = ?', [websiteId]);
  const rows = exclusions.length > 0 ? [[websiteId, JSON.stringify(exclusions)]] : [];
  await insertAll(tx, [{ table: 'left_out', columns: ['website_id', 'exclusions'], rows }]);
}

/** The days of exclusions that only one of the lists has. A name changes nothing, and the order does not either. */
function changedDays(before: readonly Exclusion[], after: readonly Exclusion[]): Span[] {
  const differing = (all: readonly Exclusion[], others: readonly Exclusion[]) =>
    all.filter((one) => !others.some((other) => isDeepStrictEqual(countedOf(one), countedOf(other))));
  return [...differing(before, after), ...differing(after, before)].map(({ from, to = LAST_DAY }) => ({
    from,
    to,
  }));
}

const countedOf = ({ filters, from, to }: Exclusion) => ({ filters, from, to });
