import type { Span } from '../../hits/calendar';
import type { DayBlock } from '../../hits/calendar';
import type { StatName } from '../../hits/stat-names';
import { isStatName } from '../../questions/listed-names';
import type { Check } from '../../ground/deadline-check';
import type { Snapshot } from '../../columns/plain/snapshot';
import type { Asker } from '../../questions/asker';
import { type DayRange, isOfDays, type Ranges, type Shown, type Wanted } from './entries-for-viewers';
import { shownValues } from './values-for-viewers';
import { type CountsByDay, countsOfSnapshot, shownDays } from './days-for-viewers';
import { spanOfBoth } from './shown-days';

/** A request for the statistics that viewers of a shared page see. It is plain data. */
export interface ShownRequest {
  readonly asker: Asker;
  readonly websiteId: number;
  readonly statsFrom: number;
  readonly today: number;
  readonly range: Span;
  readonly previous: Span | undefined;
  readonly wanted: readonly Wanted[];
}

export interface ShownResult {
  /** Every event that was acknowledged by then is included. */
  readonly asOf: Date;
  readonly ranges: Ranges;
  /** In the requested order. Undefined for a name that is counted from hits. */
  shown: (Shown | undefined)[];
  /** The number of days of the ranges with merged values. */
  readonly merged: { name: StatName; days: number }[];
}

/** The fourteen names for viewers, and the days of the ranges. */
export async function shownIn(
  snapshot: Snapshot,
  request: ShownRequest,
  check: Check,
): Promise<Omit<ShownResult, 'asOf'>> {
  const { range, previous, wanted } = request;
  const blocks = await snapshot.blocks(spanOfBoth(range, previous));
  const { ranges, shown } = await shownOfDays(countsOfSnapshot(snapshot), blocks, request, check);
  for (const [index, one] of wanted.entries()) {
    const { name } = one;
    check();
    if (isStatName(name)) shown[index] ??= await shownValues(snapshot, { ...one, name }, ranges);
  }
  const spans = [ranges.previous, ranges].flatMap((own) => own?.over?.span ?? []);
  const merged: ShownResult['merged'] = [];
  for (const { name } of wanted) {
    if (!isStatName(name)) continue;
    let days = 0;
    for (const span of spans) days += (await snapshot.count(name, span)).limitedDays;
    merged.push({ name, days });
  }
  return { ranges, shown, merged };
}

/** The days of the ranges, and the names whose values are days. */
export async function shownOfDays(
  countsByDay: CountsByDay,
  blocks: readonly DayBlock[],
  { today, range, previous, wanted }: ShownRequest,
  check: Check = () => undefined,
): Promise<Pick<ShownResult, 'ranges' | 'shown'>> {
  const rangeOf = async (whole: Span): Promise<DayRange> => {
    const span = pastDays(whole, today);
    return { whole, over: span && { span, visitors: await countsByDay('visitor', span), blocks } };
  };
  const ranges = { ...(await rangeOf(range)), previous: previous && (await rangeOf(previous)) };
  const shown: ShownResult['shown'] = [];
  for (const one of wanted) {
    const { name } = one;
    check();
    shown.push(isOfDays(name) ? await shownDays(countsByDay, { ...one, name }, ranges, today) : undefined);
  }
  return { ranges, shown };
}

/** The days that are over. Undefined if none is. */
export function pastDays({ from, to }: Span, today: number): Span | undefined {
  return from < today ? { from, to: Math.min(to, today - 1) } : undefined;
}
