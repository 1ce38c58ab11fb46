import type { Queryable, Transaction } from '../database/rows';
import type { ResolvedFilter } from '../questions/parse/filter';
import { makeDue } from './closed-days';

/*
 * What limits a shared page is written out, so that days can be divided without the goals and saved filters of the
 * website. A page without limits has no row. A row without filters is to be written out anew.
 */

/** What limits the page of a website. Texts are equal if the filters are. */
type PageFilters = { isNoted: false } | { isNoted: true; text: string | undefined };

export const textOfPage = (filters: ResolvedFilter[] | undefined) => filters && JSON.stringify(filters);

export async function readPageFilters(reader: Queryable, websiteId: number): Promise<PageFilters> {
  const [row] = await reader.query<{ filters: string | null }[]>(
    'SELECT filters FROM page_filters WHERE website_id = ?',
    [websiteId],
  );
  return row?.filters === null ? { isNoted: false } : { isNoted: true, text: row?.filters };
}

export async function readWebsitesToShare(reader: Queryable): Promise<number[]> {
  const rows = await reader.query<{ website_id: number | string }[]>(
    'SELECT website_id FROM page_filters WHERE filters IS NULL ORDER BY website_id',
  );
  return rows.map(({ website_id }) => Number(website_id));
}

/** Days that were divided by another filter are divided anew, and so are those whose filter is not known. */
export async function notePageFilters(
  tx: Transaction,
  websiteId: number,
  filters: ResolvedFilter[] | undefined,
): Promise<void> {
  const before = await readPageFilters(tx, websiteId);
  const text = textOfPage(filters);
  if (before.isNoted && before.text === text) return;
  // First, because the counting process locks this row before those of days.
  await makeDue(tx, websiteId);
  await removeDivision(tx, websiteId);
  await replacePageFilters(tx, websiteId, text);
}

/** All days of a website are divided anew, once its page is shared. */
export async function removeDivision(tx: Transaction, websiteId: number): Promise<void> {
  await tx.query('DELETE FROM day_blocks WHERE website_id = ?', [websiteId]);
}

/** Days that were divided before filters were written out stay divided. */
export async function noteUnchangedPageFilters(
  tx: Transaction,
  websiteId: number,
  filters: ResolvedFilter[] | undefined,
): Promise<void> {
  if ((await readPageFilters(tx, websiteId)).isNoted) return;
  await makeDue(tx, websiteId);
  await replacePageFilters(tx, websiteId, textOfPage(filters));
}

async function replacePageFilters(
  tx: Transaction,
  websiteId: number,
  text: string | undefined,
): Promise<void> {
  await tx.query('DELETE FROM page_filters WHERE website_id = ?', [websiteId]);
  if (text !== undefined)
    await tx.query('INSERT INTO page_filters (website_id, filters) VALUES (?, ?)', [websiteId, text]);
}
