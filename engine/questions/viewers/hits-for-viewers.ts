import { compareTexts } from '../../ground/text-order';
import { containing, foldCase } from '../../ground/text-search';
import { textAt } from '../../ground/lists/text-list';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Span } from '../../hits/calendar';
import { OTHER } from '../../hits/rules/value-limits';
import { entryOf } from '../stat-entry';
import { entriesOf } from '../listed-names';
import type { ResolvedFilter } from '../parse/filter';
import type { Answer, Ordering, HitQuery } from '../plan/hit-query';
import { ALL_ROWS, hitQueryOf } from '../plan/query-of-name';
import type { Ranges, Shown, Wanted } from './entries-for-viewers';
import { pageAround, shownRows, standsBefore } from './small-numbers';

/** The days of the ranges that are over. */
interface PastSpans {
  over: Span | undefined;
  previous: Span | undefined;
}

/** The queries for a name that is counted from hits: for each range, everything, and the rows of shown days. */
export function queriesOfHits(
  { name, order }: Wanted,
  { over, previous }: PastSpans,
  filters: ResolvedFilter[] | undefined,
): HitQuery[] {
  const by: Ordering['by'] = order.by === 'value' ? { dimension: 0 } : { metric: entriesOf(name).counts };
  const both = (span: Span, earlier?: Span): [HitQuery, HitQuery] => {
    const hitQuery = hitQueryOf(name, { ...span, ...(filters && { filters }) });
    const rows: HitQuery = {
      ...hitQuery,
      previous: earlier && { days: earlier },
      order: [{ by, direction: order.direction }],
      take: ALL_ROWS,
      ofShownDays: true,
    };
    return [{ ...hitQuery, take: 1 }, rows];
  };
  return [...(over ? both(over, previous) : []), ...(previous ? both(previous) : [])];
}

/** The entries of a name from the answers to its queries. */
export async function shownOfHits(
  wanted: Wanted,
  { over, previous }: Ranges,
  answers: Answer[],
): Promise<Shown> {
  const { order, page } = wanted;
  const now = await findIn(wanted, over ? answers : []);
  const before = previous && (await findIn(wanted, answers.slice(over ? 2 : 0)));
  const isFirst = (row: number) =>
    standsBefore(order, now.counts[row]!, now.other, () => compareTexts(now.textOf(row), OTHER) < 0);
  const place = now.other > 0 ? numberBefore(now.rows, isFirst) : undefined;
  const { skip, take, at } = pageAround(place, page);
  const shown = (value: string, count: number, previousCount = 0) =>
    entryOf(wanted.name, value, count, previous && previousCount);
  const entries = now.rows
    .slice(skip, skip + take)
    .map((row) => shown(now.textOf(row), now.counts[row]!, now.previous?.[row]));
  if (at !== undefined) entries.splice(at, 0, shown(OTHER, now.other, before?.other));
  return {
    entries,
    total: now.rows.length + (place === undefined ? 0 : 1),
    sum: now.sum,
    ...(before && { previousSum: before.sum }),
  };
}

/** The result of a search in a range. */
interface Found {
  rows: number[];
  counts: Float64Array;
  /** The counts of the compared range, by row. */
  previous: Float64Array | undefined;
  textOf: (row: number) => string;
  other: number;
  sum: number;
}

const NOTHING: Found = {
  rows: [],
  counts: new Float64Array(0),
  previous: undefined,
  textOf: String,
  other: 0,
  sum: 0,
};

/** Rows are chosen before the search, so that `(other)` cannot be searched. */
async function findIn({ name, search }: Wanted, [everything, ofDays]: Answer[]): Promise<Found> {
  if (!everything || !ofDays) return NOTHING;
  const [texts, ofShownDays] = [ofDays.rows.dimensions[0]!, ofDays.rows.metrics[0]!];
  const textOf = (row: number) => textAt(texts, row)!;
  const shown = shownRows(ofShownDays, everything.sums[0]!, await placeOfOther(textOf, ofShownDays.length));
  const { label } = entriesOf(name);
  const isIn = search === undefined ? () => true : containing(search);
  const isFound = (text: string) => isIn(foldCase(text)) || isIn(foldCase(label(text)));
  const rows: number[] = [];
  let sum = 0;
  for (const [row, count] of shown.counts.entries()) {
    if (count === 0 || !isFound(textOf(row))) continue;
    rows.push(row);
    sum += count;
    await yieldIfNeeded();
  }
  const other = isFound(OTHER) ? shown.other : 0;
  const [ofPrevious] = ofDays.rows.previous;
  const previous = ofPrevious && shownRows(ofPrevious, 0).counts;
  return { rows, counts: shown.counts, previous, textOf, other, sum: sum + other };
}

async function placeOfOther(textOf: (row: number) => string, rows: number): Promise<number | undefined> {
  for (let row = 0; row < rows; row++) {
    if (textOf(row) === OTHER) return row;
    await yieldIfNeeded();
  }
  return undefined;
}

/** The number of rows before `(other)`. Rows are in order, and each comparison decodes a text. */
function numberBefore(rows: number[], isFirst: (row: number) => boolean): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isFirst(rows[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from;
}
