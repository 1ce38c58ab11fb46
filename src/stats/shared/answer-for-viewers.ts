import type { Span } from '../../storage/calendar';
import type { StatName } from '../../storage/stat-names';
import { isStatName } from '../listed-names';
import type { Check } from '../queries/answer/deadline-check';
import type { Snapshot } from '../plain/snapshot';
import type { Viewer } from '../viewers/viewer';
import { type DayRange, isOfDays, type Ranges, type Shown, type Wanted } from './entries-for-viewers';
import { shownValues } from './values-for-viewers';
import { countsByDay, shownDays } from './days-for-viewers';
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
  readonly shown: (Shown | undefined)[];
  /** The number of days of the ranges with merged values. */
  readonly merged: { name: StatName; days: number }[];
}

/** The fourteen names for viewers, and the busy days of the ranges. */
export async function shownIn(
  snapshot: Snapshot,
  { today, range, previous, wanted }: ShownRequest,
  check: Check,
): Promise<Omit<ShownResult, 'asOf'>> {
  const ranges = {
    ...(await rangeOf(snapshot, range, today)),
    previous: previous && (await rangeOf(snapshot, previous, today)),
  };
  const shown: (Shown | undefined)[] = [];
  for (const one of wanted) {
    check();
    shown.push(await countedIn(snapshot, one, ranges, today));
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

async function rangeOf(snapshot: Snapshot, whole: Span, today: number): Promise<DayRange> {
  const span = { from: whole.from, to: Math.min(whole.to, today - 1) };
  if (span.from > span.to) return { whole, over: undefined };
  return { whole, over: { span, ...byVisitors(await countsByDay(snapshot, 'visitor', span)) } };
}

function countedIn(
  snapshot: Snapshot,
  wanted: Wanted,
  ranges: Ranges,
  today: number,
): Promise<Shown> | undefined {
  const { name } = wanted;
  if (isOfDays(name)) return shownDays(snapshot, { ...wanted, name }, ranges, today);
  return isStatName(name) ? shownValues(snapshot, { ...wanted, name }, ranges) : undefined;
}
