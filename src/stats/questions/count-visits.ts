import { NOT_SET } from '../../storage/text-codes';
import type { DayView } from './day-view';
import type { Groups } from './groups-of-day';
import { type Passed, passesAny } from './passed';
import type { Tally } from './tally';

/** Counts the visits of a day that have a selected hit, each once in a group; their numbers begin with `first`. */
export function countVisits(
  view: DayView,
  selected: Passed,
  groups: Groups,
  tally: Tally,
  first: number,
): void {
  if (groups.level === 'hit') countByHits(view, selected, groups, tally, first);
  else countWhole(view, selected, groups, tally);
}

function countWhole(view: DayView, selected: Passed, { codes, level }: Groups, tally: Tally): void {
  const { visitors, hits } = selected;
  const { isKnown, visitors: size } = view.columns;
  const { begins, ofVisitors } = view.visits;
  const add = adding(view, tally);
  const isOfVisits = level === 'visit';
  for (let visitor = 0; visitor < size; visitor++) {
    if (isKnown[visitor] === 0 || visitors?.[visitor] === 0) continue;
    for (let visit = ofVisitors[visitor]!, end = ofVisitors[visitor + 1]!; visit < end; visit++)
      if (!hits || passesAny(hits, begins[visit]!, begins[visit + 1]!))
        add(codes[isOfVisits ? visit : visitor]!, visit);
  }
}

function countByHits(
  view: DayView,
  { visitors, hits }: Passed,
  { codes }: Groups,
  tally: Tally,
  first: number,
): void {
  const { isKnown, visitors: size } = view.columns;
  const { begins, ofVisitors } = view.visits;
  const add = adding(view, tally);
  const last = tally.lastOf('visits');
  for (let visitor = 0; visitor < size; visitor++) {
    if (isKnown[visitor] === 0 || visitors?.[visitor] === 0) continue;
    for (let visit = ofVisitors[visitor]!; visit < ofVisitors[visitor + 1]!; visit++)
      for (let hit = begins[visit]!, end = begins[visit + 1]!; hit < end; hit++) {
        const group = codes[hit]!;
        if (hits?.[hit] === 0 || last[group] === first + visit) continue;
        last[group] = first + visit;
        add(group, visit);
      }
  }
}

/** Adds a visit to a group. */
function adding(view: DayView, tally: Tally): (group: number, visit: number) => void {
  const { begins } = view.visits;
  const { low, high } = view.seconds;
  const event = view.ownCodes('event').rows;
  const visits = tally.countsOf('visits');
  const bounces = tally.countsOf('bounces');
  const seconds = tally.countsOf('seconds');
  return (group, visit) => {
    const [begin, end] = [begins[visit]!, begins[visit + 1]!];
    if (visits) visits[group]! += 1;
    if (bounces && end - begin === 1 && event[begin] === NOT_SET) bounces[group]! += 1;
    if (!seconds) return;
    const last = low[end - 1]! + (high[end - 1]! << 16);
    seconds[group]! += last - low[begin]! - (high[begin]! << 16);
  };
}
