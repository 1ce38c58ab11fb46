import type { Queryable } from '../../database/rows';
import type { HitBlock } from '../../hits/hit-block';
import type { HitsOfDay } from '../stored-days';
import type { Filter } from '../../questions/parse/filter';
import type { Zone } from '../../questions/plan/buckets';
import { neededColumns, neededValues } from '../../questions/plan/needed-values';
import { ColumnCache } from '../read/column-cache';
import { HitSource } from '../read/hit-source';
import { BlockSelection } from '../../asking/select/block-selection';
import { PeakMemory } from '../../asking/memory/peak-memory';

const nothing = () => undefined;

/** Some days of a website, and the filter that selects the visitors. */
interface Wanted {
  websiteId: number;
  /** In order. */
  days: HitsOfDay[];
  filter: Filter | undefined;
  zone: Zone;
}

/** The visitors of each day in columns, for work in the background. Late hits in batches are left out. */
export async function countVisitors(
  reader: Queryable,
  { websiteId, days, filter, zone }: Wanted,
  pause: () => Promise<void>,
): Promise<Map<number, number>> {
  const visitors = new Map(days.map(({ day }) => [day, 0]));
  if (days.length === 0) return visitors;
  const span = { from: days[0]!.day, to: days.at(-1)!.day };
  const scope = { range: { days: span }, previous: undefined, filter, dimensions: [], metrics: [] };
  // Nothing is kept for other work.
  const cache = new ColumnCache({ maxSize: 'plainColumns' });
  const known = cache.website(websiteId, filter ? neededValues([scope]) : []);
  const needed = filter ? neededColumns([scope]) : [];
  const wanted = { websiteId, known, span, areAlike: () => false, needed, openFrom: Infinity };
  const memory = new PeakMemory();
  const selection = filter && new BlockSelection(filter, days, { values: known.values, zone, memory });
  const inColumns = days.map((stored) => ({ ...stored, hits: stored.columns!.hits }));
  for await (const block of new HitSource(reader, cache, wanted, nothing, memory).all(inColumns)) {
    const { day } = block.days[0]!;
    visitors.set(day, visitors.get(day)! + knownVisitors(block, selection?.in(block).visitors));
    await pause();
  }
  selection?.expectWhole();
  return visitors;
}

/** All visitors if `selected` is undefined. */
function knownVisitors({ isKnown, visitors }: HitBlock, selected: Uint8Array | undefined): number {
  let known = 0;
  for (let visitor = 0; visitor < visitors; visitor++)
    known += isKnown[visitor]! & (selected ? selected[visitor]! : 1);
  return known;
}
