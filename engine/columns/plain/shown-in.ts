import type { Check } from '../../ground/deadline-check';
import { isStatName } from '../../questions/listed-names';
import { shownOfDays, type ShownRequest, type ShownResult } from '../../questions/shown/answer-for-viewers';
import type { CountsByDay } from '../../questions/shown/days-for-viewers';
import { spanOfBoth } from '../../questions/shown/shown-days';
import type { Snapshot } from './snapshot';
import { shownValues } from './values-for-viewers';

/** The fourteen names for viewers, and the days of the ranges. */
export async function shownIn(
  snapshot: Snapshot,
  request: ShownRequest,
  check: Check,
): Promise<Omit<ShownResult, 'asOf'>> {
  const { asker, range, previous, wanted } = request;
  const blocks = await snapshot.blocks(asker, spanOfBoth(range, previous));
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

function countsOfSnapshot(snapshot: Snapshot): CountsByDay {
  return async (name, range) => {
    const sums = await snapshot.sums({ name, range });
    return new Map(Array.from(sums.codes(), (day) => [day, sums.counts[day]!]));
  };
}
