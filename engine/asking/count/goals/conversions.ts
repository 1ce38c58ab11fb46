import type { BlockView } from '../../select/block-view';
import type { SelectedRows } from '../../select/selected-rows';
import { type Groups, numbersOf } from '../groups';
import type { Tally } from '../tally';

/** Counts the selected hits of a block by group, page views and events alike. */
export function countConversions(
  view: BlockView,
  selected: SelectedRows,
  groups: Groups,
  tally: Tally,
): void {
  const counts = tally.countsOf('conversions')!;
  const { rows, codeOf } = numbersOf(groups, tally);
  const isOfHits = groups.level === 'hit';
  selected.forEach((hit, visitor) => {
    counts[codeOf[rows[isOfHits ? hit : visitor]!]!]! += 1;
  });
}
