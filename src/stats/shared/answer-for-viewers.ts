import type { Span } from '../../storage/calendar';
import type { StatName } from '../../storage/stat-names';
import { isStatName } from '../listed-names';
import type { Check } from '../queries/answer/deadline-check';
import type { Snapshot } from '../plain/snapshot';
import type { Viewer } from '../viewers/viewer';
import { type DayRange, isOfDays, type Ranges, type Shown, type Wanted } from './entries-for-viewers';
import { shownValues } from './values-for-viewers';
import { type CountsByDay, countsOfSnapshot, shownDays } from './days-for-viewers';
import { byVisitors } from './small-numbers';

/** A request for the statistics that viewers of a shared page see. It is plain data. */
export interface ShownRequest {
  readonly viewer: Viewer;
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

/** The fourteen names for viewers, and the busy days of the ranges. */
export async function shownIn(
  snapshot: Snapshot,
  request: ShownRequest,
  check: Check,
): Promise<Omit<ShownResult, 'asOf'>> {
  const { ranges, shown } = await shownOfDays(countsOfSnapshot(snapshot), request, check);
  const { wanted } = request;
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

/** The busy days of the ranges, and the names whose values are days. */
export async function shownOfDays(
  countsByDay: CountsByDay,
  { today, range, previous, wanted }: ShownRequest,
  check: Check = () => undefined,
): Promise<Pick<ShownResult, 'ranges' | 'shown'>> {
  const ranges = {
    ...(await rangeOf(countsByDay, range, today)),
    previous: previous && (await rangeOf(countsByDay, previous, today)),
  };
  const shown: ShownResult['shown'] = [];
  for (const one of wanted) {
    const { name } = one;
    check();
    shown.push(isOfDays(name) ? await shownDays(countsByDay, { ...one, name }, ranges, today) : undefined);
  }
  return { ranges, shown };
}

async function rangeOf(countsByDay: CountsByDay, whole: Span, today: number): Promise<DayRange> {
  const span = pastDays(whole, today);
  return { whole, over: span && { span, ...byVisitors(await countsByDay('visitor', span)) } };
}

/** The days that are over. Undefined if none is. */
export function pastDays({ from, to }: Span, today: number): Span | undefined {
  return from < today ? { from, to: Math.min(to, today - 1) } : undefined;
}
