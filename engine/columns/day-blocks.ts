import { insertRows, type Queryable, type Transaction } from '../database/rows';
import type { Span } from '../hits/calendar';
import type { Asker } from '../questions/asker';
import { readPageFilters, textOfPage } from './page-filters';
import type { DayBlock } from '../hits/calendar';
import { ENOUGH_VISITORS } from '../hits/rules/hidden-days';

/*
 * Viewers of a shared page see details of whole blocks of days. A day with enough visitors is a block of its own. A day
 * with fewer joins the open block of its website, which is complete with the day that brings it to enough. What was
 * divided stays so, whatever happens to its hits: otherwise two answers could be subtracted from each other.
 *
 * A block is named by its first day, whose row is the first to be removed with the statistics of old days. A block
 * without that row has lost a day.
 */

/** Tells whether anybody but the owner may see the statistics of a row of `websites`. */
export const isShared = (websites: string) => `${websites}.privacy <> 1`;

const EVER: Span = { from: 0, to: 2 ** 31 - 1 };
const COLUMNS = ['website_id', 'day', 'block', 'visitors'];

/** A day that was assigned to a block, with the visitors that viewers could see then. */
export interface DividedDay {
  day: number;
  block: number;
  visitors: number;
}

/** The days of all blocks that begin in a span. */
export async function readDivision(
  reader: Queryable,
  websiteId: number,
  { from, to }: Span = EVER,
): Promise<DividedDay[]> {
  const rows = await reader.query<Record<keyof DividedDay, number | string>[]>(
    `SELECT day, block, visitors FROM day_blocks
    WHERE website_id = ? AND day >= ? AND block BETWEEN ? AND ? ORDER BY day`,
    [websiteId, from, from, to],
  );
  return rows.map(({ day, block, visitors }) => ({
    day: Number(day),
    block: Number(block),
    visitors: Number(visitors),
  }));
}

/** The first days of the first and of the last block with a day in a span. Undefined if no day of it was divided. */
export async function readBegins(
  reader: Queryable,
  websiteId: number,
  { from, to }: Span,
): Promise<Span | undefined> {
  const [row] = await reader.query<{ first: number | string | null; last: number | string | null }[]>(
    `SELECT MIN(block) AS first, MAX(block) AS last FROM day_blocks WHERE website_id = ? AND day BETWEEN ? AND ?`,
    [websiteId, from, to],
  );
  return row?.first == null ? undefined : { from: Number(row.first), to: Number(row.last) };
}

/** The complete blocks that begin in a span. They may end after it. None if the page was divided by another filter. */
export async function readBlocks(
  reader: Queryable,
  websiteId: number,
  { pageFilters }: Asker,
  span: Span,
): Promise<DayBlock[]> {
  const page = await readPageFilters(reader, websiteId);
  if (!page.isNoted || page.text !== textOfPage(pageFilters)) return [];
  return unbroken(await readDivision(reader, websiteId, span))
    .filter(({ visitors }) => visitors >= ENOUGH_VISITORS)
    .map(({ days }) => days);
}

/** Days to add to a division. */
interface Divided {
  rows: DividedDay[];
  /** The open block, if it begins with another day now. */
  renamed: { block: number; to: number } | undefined;
}

/** Assigns days to blocks by their visitors. A block that begins before `from` has lost a day, or will soon. */
export function divide(
  before: readonly DividedDay[],
  counted: ReadonlyMap<number, number>,
  from: number,
): Divided {
  const stored = unbroken(before.filter(({ block }) => block >= from)).findLast(isOpen);
  const rows: DividedDay[] = [];
  let open = stored;
  for (const [day, visitors] of [...counted].sort(([one], [other]) => one - other)) {
    if (!isOpen({ visitors })) {
      rows.push({ day, block: day, visitors });
      continue;
    }
    open = joined(open, day, visitors);
    rows.push({ day, block: open.block, visitors });
    if (!isOpen(open)) open = undefined;
  }
  const first = rows.find(isOpen)?.block;
  const isRenamed = stored !== undefined && first !== undefined && first < stored.block;
  return { rows, renamed: isRenamed ? { block: stored.block, to: first } : undefined };
}

interface Block {
  block: number;
  days: number[];
  visitors: number;
}

/** The blocks that have their first day, in the order of these. */
function unbroken(divided: readonly DividedDay[]): Block[] {
  const blocks = new Map<number, Block>();
  for (const { day, block, visitors } of divided) {
    const known = blocks.get(block);
    if (known || day === block) blocks.set(block, joined(known, day, visitors));
  }
  return [...blocks.values()];
}

function joined(block: Block | undefined, day: number, visitors: number): Block {
  if (!block) return { block: day, days: [day], visitors };
  const first = Math.min(block.block, day);
  return { block: first, days: [...block.days, day], visitors: block.visitors + visitors };
}

function isOpen({ visitors }: Pick<Block, 'visitors'>): boolean {
  return visitors > 0 && visitors < ENOUGH_VISITORS;
}

/** A day with fewer visitors stays in its block, which viewers no longer see if too few are left. */
export async function lowerVisitors(
  manager: Transaction,
  websiteId: number,
  visitors: ReadonlyMap<number, number>,
): Promise<void> {
  for (const [day, left] of visitors)
    await manager.query(
      'UPDATE day_blocks SET visitors = ? WHERE website_id = ? AND day = ? AND visitors > ?',
      [left, websiteId, day, left],
    );
}

/** Call it under the website's lease. */
export async function addToDivision(
  manager: Transaction,
  websiteId: number,
  { rows, renamed }: Divided,
): Promise<void> {
  if (renamed)
    await manager.query('UPDATE day_blocks SET block = ? WHERE website_id = ? AND block = ?', [
      renamed.to,
      websiteId,
      renamed.block,
    ]);
  const values = rows.map(({ day, block, visitors }) => [websiteId, day, block, visitors]);
  await insertRows(manager, 'day_blocks', COLUMNS, values);
}
