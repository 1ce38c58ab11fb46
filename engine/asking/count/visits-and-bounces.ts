import { NOT_SET } from '../../hits/codes/text-codes';
import type { BlockView, Visits } from '../select/block-view';
import type { Groups } from './groups';
import { type Matches, matchesAny } from '../select/matching-rows';
import type { SelectedRows } from '../select/selected-rows';
import type { Tally } from './tally';

/**
 * Counts the visits of a block with a selected hit, each once in a group, with bounces and seconds. Their numbers begin
 * with `first`.
 */
export function countVisits(
  view: BlockView,
  selected: SelectedRows,
  groups: Groups,
  tally: Tally,
  first: number,
): void {
  const { level } = groups;
  if (level === 'visitor' && !selected.areFew && selected.visitors)
    return countOfVisitors(view, selected, groups, tally);
  const visits = level === 'visit' || selected.areFew ? view.visits : view.visitsOf(selected.visitors);
  if (level === 'hit') countByHits(view, visits, selected, groups, tally, first);
  else countWhole(view, visits, selected, groups, tally);
}

/** Without a list of the visits: those of other visitors need not be passed over. */
function countOfVisitors(
  view: BlockView,
  { visitorPlaces, hits }: SelectedRows,
  { codes }: Groups,
  tally: Tally,
): void {
  const { begins, isKnown } = view.block;
  const { endOfVisit } = view;
  const add = adding(view, tally);
  const places = visitorPlaces!;
  for (let index = 0; index < places.length; index++) {
    const visitor = places[index]!;
    if (isKnown[visitor] === 0) continue;
    const end = begins[visitor + 1]!;
    for (let begin = begins[visitor]!; begin < end;) {
      const next = endOfVisit(begin, end);
      if (!hits || matchesAny(hits, begin, next)) add(codes[visitor]!, begin, next);
      begin = next;
    }
  }
}

function countWhole(
  view: BlockView,
  { begins, ofVisitors }: Visits,
  { visitors, hits }: Matches,
  { codes, level }: Groups,
  tally: Tally,
): void {
  const { isKnown, visitors: size } = view.block;
  const add = adding(view, tally);
  const isOfVisits = level === 'visit';
  for (let visitor = 0; visitor < size; visitor++) {
    if (isKnown[visitor] === 0 || visitors?.[visitor] === 0) continue;
    for (let visit = ofVisitors[visitor]!, end = ofVisitors[visitor + 1]!; visit < end; visit++)
      if (!hits || matchesAny(hits, begins[visit]!, begins[visit + 1]!))
        add(codes[isOfVisits ? visit : visitor]!, begins[visit]!, begins[visit + 1]!);
  }
}

function countByHits(
  view: BlockView,
  visits: Visits,
  { visitors, hits }: Matches,
  { codes }: Groups,
  tally: Tally,
  first: number,
): void {
  const { isKnown, visitors: size } = view.block;
  const { begins, ofVisitors } = visits;
  const add = adding(view, tally);
  const last = tally.lastOf('visits');
  for (let visitor = 0; visitor < size; visitor++) {
    if (isKnown[visitor] === 0 || visitors?.[visitor] === 0) continue;
    for (let visit = ofVisitors[visitor]!; visit < ofVisitors[visitor + 1]!; visit++)
      for (let hit = begins[visit]!, end = begins[visit + 1]!; hit < end; hit++) {
        const group = codes[hit]!;
        if (hits?.[hit] === 0 || last[group] === first + visit) continue;
        last[group] = first + visit;
        add(group, begins[visit]!, end);
      }
  }
}

/**
 * Adds a visit to a group. A visit with one page view and nothing else is a bounce. Passive events are as nothing here.
 */
function adding(view: BlockView, tally: Tally): (group: number, begin: number, end: number) => void {
  const { low, high } = view.seconds;
  const { passive } = view;
  const event = view.ownCodes('event').rows;
  const counts = tally.countsOf('visits');
  const bounces = tally.countsOf('bounces');
  const seconds = tally.countsOf('seconds');
  return (group, begin, end) => {
    let last = end - 1;
    if (passive) while (last >= begin && passive[last] !== NOT_SET) last--;
    if (last < begin) return;
    if (counts) counts[group]! += 1;
    if (bounces && last === begin && event[begin] === NOT_SET) bounces[group]! += 1;
    if (seconds) seconds[group]! += low[last]! + (high[last]! << 16) - low[begin]! - (high[begin]! << 16);
  };
}
