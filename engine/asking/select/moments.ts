import type { Span } from '../../hits/calendar';
import type { HitBlock } from '../../hits/hit-block';
import type { Range } from '../../questions/plan/hit-query';
import { isWithin } from '../../questions/plan/range-days';
import type { BlockView } from './block-view';

/** The moments that cut a block. Undefined if all of its hits are in the range. */
export function momentsIn({ moments }: Range, { days }: HitBlock): Span | undefined {
  return moments && days.every(({ day }) => isWithin(day, moments)) ? undefined : moments;
}

/** One for each hit of a block within the moments of a range. Undefined if all are. */
export function hitsWithin(range: Range, view: BlockView): Uint8Array | undefined {
  const moments = momentsIn(range, view.block);
  if (!moments) return undefined;
  const { at, hits } = view.block;
  const within = new Uint8Array(hits);
  view.reserve(within.byteLength);
  for (let hit = 0; hit < hits; hit++)
    within[hit] = Number(at[hit]! >= moments.from && at[hit]! <= moments.to);
  return within;
}
