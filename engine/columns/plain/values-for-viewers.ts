import { foldCase } from '../../ground/text-search';
import type { StatName } from '../../hits/stat-names';
import { Sums } from '../../hits/sums';
import { OTHER } from '../../hits/rules/value-limits';
import { entryOf } from '../../questions/stat-entry';
import type { Order } from '../../questions/plain-request';
import type { Snapshot } from './snapshot';
import type { PastDays, Ranges, Shown, Wanted } from '../../questions/viewers/entries-for-viewers';
import { hiddenDays } from '../../questions/viewers/detailed-days';
import { pageAround, shownRows, standsBefore } from '../../questions/viewers/small-numbers';

/** The visible counts of a span of days, and the count of `(other)`. */
interface ShownSums {
  sums: Sums;
  other: number;
}

/** The values of one of the fourteen names. */
export async function shownValues(
  snapshot: Snapshot,
  { name, search, order, page }: Wanted & { name: StatName },
  { over, previous }: Ranges,
): Promise<Shown> {
  const found = (days: PastDays | undefined) => foundSums(snapshot, name, days, search);
  const now = await found(over);
  const before = previous && (await found(previous.over));
  const codes = now.sums.codes();
  const place = now.other > 0 ? await placeOfOther(snapshot, name, now, order) : undefined;
  const { skip, take, at } = pageAround(place, page);
  const shown = (value: string, count: number, previousCount = 0) =>
    entryOf(name, value, count, before && previousCount);
  const rows = await snapshot.page(name, now.sums, codes, order, skip, take);
  const entries = rows.map(({ code, value, count }) => shown(value, count, before?.sums.counts[code]));
  if (at !== undefined) entries.splice(at, 0, shown(OTHER, now.other, before?.other));
  return {
    entries,
    total: codes.length + (place === undefined ? 0 : 1),
    sum: sumOf(now),
    ...(before && { previousSum: sumOf(before) }),
  };
}

const sumOf = ({ sums, other }: ShownSums) => sums.total() + other;

/** Rows are chosen before the search, so that `(other)` cannot be searched. */
async function foundSums(
  snapshot: Snapshot,
  name: StatName,
  days: PastDays | undefined,
  search: string | undefined,
): Promise<ShownSums> {
  if (!days) return { sums: new Sums(), other: 0 };
  const shown = await shownSums(snapshot, name, days);
  if (search === undefined) return shown;
  return {
    sums: await snapshot.matching(name, shown.sums, search),
    other: foldCase(OTHER).includes(search) ? shown.other : 0,
  };
}

async function shownSums(snapshot: Snapshot, name: StatName, past: PastDays): Promise<ShownSums> {
  const { span } = past;
  const whole = await snapshot.sums({ name, range: span });
  const ofShownDays = whole.copy();
  const hidden = hiddenDays(past, span);
  if (hidden.size > 0) ofShownDays.addAll(await snapshot.sumsOfDays(name, span, hidden), -1);
  const values = await snapshot.valuesOf(name);
  const { counts, other } = shownRows(ofShownDays.counts, whole.total(), values.codeOf(OTHER));
  return { sums: new Sums(counts), other };
}

/** The number of rows before `(other)`. */
async function placeOfOther(
  snapshot: Snapshot,
  name: StatName,
  { sums: { counts }, other }: ShownSums,
  order: Order,
): Promise<number> {
  const values = await snapshot.valuesOf(name);
  let place = 0;
  for (const [code, count] of counts.entries())
    if (count !== 0 && standsBefore(order, count, other, () => values.isBefore(code, OTHER))) place++;
  return place;
}
