import type { Span } from '../../hits/calendar';
import type { DayBlock } from '../../hits/calendar';
import type { StatName } from '../../hits/stat-names';
import type { Check } from '../../ground/deadline-check';
import type { Asker } from '../asker';
import { type DayRange, isOfDays, type Ranges, type Shown, type Wanted } from './entries-for-viewers';
import { type CountsByDay, entriesOfDays } from './days-for-viewers';

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
  /** The smallest range of whole blocks around the range, if that has visitors, but no details. */
  readonly around?: Span | undefined;
  /** In the requested order. Undefined for a name that is counted from hits. */
  shown: (Shown | undefined)[];
  /** The number of days of the ranges with merged values. */
  readonly merged: { name: StatName; days: number }[];
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
    shown.push(
      isOfDays(name) ? await entriesOfDays(countsByDay, { ...one, name }, ranges, today) : undefined,
    );
  }
  return { ranges, shown };
}

/** The days that are over. Undefined if none is. */
export function pastDays({ from, to }: Span, today: number): Span | undefined {
  return from < today ? { from, to: Math.min(to, today - 1) } : undefined;
}
