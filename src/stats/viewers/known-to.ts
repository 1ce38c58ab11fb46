import {
  type FilterJson,
  filterOf,
  GOAL,
  leavesIn,
  type ResolvedFilter,
  SAVED,
} from '../../../engine/questions/parse/filter';
import type { QueryScope } from '../../../engine/questions/plan/needed-values';
import type { Viewer } from './viewer';

/**
 * A query as its viewer knows it. The filter of the page, and what goals, saved filters and stored funnels stand for,
 * are the owner's. `sent` are the viewer's own filters.
 */
export function knownTo(
  viewer: Viewer,
  { range, previous, filter, goals, dimensions, metrics }: QueryScope,
  sent: readonly FilterJson[],
): QueryScope {
  const scope = { range, previous, dimensions, metrics };
  if (viewer.as === 'owner') return { ...scope, filter, goals };
  return { ...scope, filter: filterOf(leavesIn(sent).flatMap(ofHits)) };
}

function ofHits(leaf: ReturnType<typeof leavesIn>[number]): ResolvedFilter[] {
  if (leaf[0] === SAVED) return [];
  const [operator, name, values] = leaf;
  return name === GOAL ? [] : [[operator, name, values]];
}
