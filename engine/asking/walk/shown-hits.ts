import { NOT_SET } from '../../hits/codes/text-codes';
import type { Range } from '../../questions/plan/hit-query';
import type { BlockView } from '../select/block-view';
import { ofHits } from '../select/matching-rows';
import { hitsWithin } from '../select/moments';
import { intersect } from '../select/row-masks';
import type { Selection } from '../select/selection';

/**
 * One for each hit that a walk sees: passive events, hits outside of the range, and those that the viewer may not see
 * are passed over. Undefined if it sees all.
 */
export function shownHits(
  view: BlockView,
  range: Range,
  seen: Selection | undefined,
): Uint8Array | undefined {
  const lists = [hitsWithin(range, view), seen && ofHits(seen.of(view), view), activeIn(view)];
  return lists.reduce((all, list) => (all && list ? intersect(all, list) : (all ?? list)), undefined);
}

/** One for each hit that is no passive event. Undefined without such an event. */
function activeIn(view: BlockView): Uint8Array | undefined {
  const { passive } = view;
  if (!passive) return undefined;
  const active = new Uint8Array(passive.length);
  view.reserve(active.byteLength);
  for (let hit = 0; hit < active.length; hit++) active[hit] = Number(passive[hit] === NOT_SET);
  return active;
}
