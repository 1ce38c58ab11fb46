import type { Codes } from '../../storage/code-list';
import type { StretchView } from './stretch-view';
import type { Groups } from './groups';
import type { Passed } from './passed';
import type { Tally } from './tally';

/** A number for each row, and the group of each number. */
interface Numbers {
  rows: Codes;
  codeOf: Codes;
}

/** Counts the selected hits of a stretch in their groups: all of them as page views, and then the events, which are few. */
export function countHits(view: StretchView, selected: Passed, groups: Groups, tally: Tally): void {
  const pageviews = tally.countsOf('pageviews');
  const events = tally.countsOf('events');
  if (!pageviews && !events) return;
  const { level } = groups;
  const numbers = numbersOf(groups, tally);
  if (pageviews && level === 'hit' && !selected.visitors && !selected.hits) countRows(numbers, pageviews);
  else if (pageviews) countOfVisitors(view, selected, level, numbers, pageviews);
  eachEvent(view, selected, (event, visitor) => {
    const group = numbers.codeOf[numbers.rows[level === 'hit' ? event : visitor]!]!;
    if (pageviews) pageviews[group]! -= 1;
    if (events) events[group]! += 1;
  });
}

function countRows({ rows, codeOf }: Numbers, counts: Float64Array): void {
  for (let hit = 0; hit < rows.length; hit++) counts[codeOf[rows[hit]!]!]! += 1;
}

function countOfVisitors(
  { stretch: { begins, visitors: size } }: StretchView,
  { visitors, hits }: Passed,
  level: Groups['level'],
  { rows, codeOf }: Numbers,
  counts: Float64Array,
): void {
  const isOfHits = level === 'hit';
  for (let visitor = 0; visitor < size; visitor++) {
    if (visitors && visitors[visitor] === 0) continue;
    for (let hit = begins[visitor]!, end = begins[visitor + 1]!; hit < end; hit++)
      if (!hits || hits[hit] === 1) counts[codeOf[rows[isOfHits ? hit : visitor]!]!]! += 1;
  }
}

function eachEvent(
  { stretch: { begins }, events }: StretchView,
  { visitors, hits }: Passed,
  add: (event: number, visitor: number) => void,
): void {
  let visitor = 0;
  for (const event of events) {
    if (hits && hits[event] === 0) continue;
    while (begins[visitor + 1]! <= event) visitor++;
    if (!visitors || visitors[visitor] === 1) add(event, visitor);
  }
}

function numbersOf(groups: Groups, tally: Tally): Numbers {
  const { own } = groups;
  if (own?.codeOf) return { rows: own.rows, codeOf: own.codeOf };
  return { rows: groups.codes, codeOf: tally.groups };
}
