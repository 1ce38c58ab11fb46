import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../../ground/deadline-check';
import type { Span } from '../../hits/calendar';
import type { Asker } from '../../questions/asker';
import { isStatName } from '../../questions/listed-names';
import { shownOfDays, type ShownRequest, type ShownResult } from '../../questions/viewers/answer-for-viewers';
import type { CountsByDay } from '../../questions/viewers/days-for-viewers';
import type { PastDays } from '../../questions/viewers/entries-for-viewers';
import {
  detailedRange,
  hiddenDays,
  spanOfBoth,
  withWholeBlocks,
} from '../../questions/viewers/detailed-days';
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
  const around = ranges.over && (await rangeAround(snapshot, asker, ranges.over, check));
  return { ranges, around, shown, merged };
}

/** Undefined if the range has details or no visitors, or if days around it would be hidden, too. */
async function rangeAround(
  snapshot: Snapshot,
  asker: Asker,
  over: PastDays,
  check: Check,
): Promise<Span | undefined> {
  if (over.visitors.size === 0 || detailedRange(over, over.span)) return undefined;
  const countsByDay = countsOfSnapshot(snapshot);
  let around = over.span;
  for (;;) {
    check();
    const visitors = await countsByDay('visitor', around);
    const days = { visitors, blocks: await snapshot.blocksAround(asker, around) };
    const wider = withWholeBlocks(days, around);
    if (isDeepStrictEqual(wider, around)) return hiddenDays(days, around).size === 0 ? around : undefined;
    around = wider;
  }
}

function countsOfSnapshot(snapshot: Snapshot): CountsByDay {
  return async (name, range) => {
    const sums = await snapshot.sums({ name, range });
    return new Map(Array.from(sums.codes(), (day) => [day, sums.counts[day]!]));
  };
}
