import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../database/dialect';
import type { Queryable, Transaction } from '../database/rows';
import { monthOf, type Span } from '../hits/calendar';
import type { Exclusion } from '../questions/exclusions';
import { addClosedDays, makeDue, raiseCountsVersion } from './closed-days';
import { removeSpansWithin } from './rollups/rollup-rows';

/*
 * The exclusions of a website are written out in one row, so that the first statement of a question reads them with the
 * versions of its days. A rollup has the exclusions of its days applied. A change of exclusions removes the rollups of
 * the days that it concerns, and the counting process makes them anew. Batches and checkpoints have all hits.
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
  const before = await readExclusions(tx, websiteId);
  if (JSON.stringify(before) === JSON.stringify(exclusions)) return;
  // First, because the counting process locks this row before those of days.
  await makeDue(tx, websiteId);
  await addClosedDays(dialect, tx, websiteId);
  await raiseCountsVersion(tx, websiteId);
  const changed = changedDays(before, exclusions).filter(({ to }) => to >= keptFrom);
  for (const { from, to } of changed) {
    const days = { from: Math.max(from, keptFrom), to };
    await removeSpansWithin(tx, websiteId, days, { from: monthOf(days.from), to });
  }
  // Days of a shared page were divided by the visitors that viewers saw.
  if (changed.length > 0) await tx.query('DELETE FROM day_blocks WHERE website_id = ?', [websiteId]);
  await tx.query('DELETE FROM left_out WHERE website_id = ?', [websiteId]);
  if (exclusions.length > 0)
    await tx.query('INSERT INTO left_out (website_id, exclusions) VALUES (?, ?)', [
      websiteId,
      JSON.stringify(exclusions),
    ]);
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
