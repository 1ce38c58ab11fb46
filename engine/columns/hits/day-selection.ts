import { COLUMNS } from '../../hits/hit-columns';
import { placesOf } from '../../hits/hits-of-block';
import type { HitsOfDay } from '../stored-days';
import type { TimeLimit } from '../../ground/deadline-check';
import { FilterMemory } from '../../asking/memory/filter-memory';
import { PeakMemory } from '../../asking/memory/peak-memory';
import type { QueryAnswering } from '../answering/query-answering';
import type { WorkingMemory } from '../../asking/memory/working-memory';
import type { Filter } from '../../questions/parse/filter';
import type { Zone } from '../../questions/plan/buckets';
import { neededColumns, neededValues } from '../../questions/plan/needed-values';
import { areInSameRanges } from '../../questions/plan/range-days';
import type { ColumnCache } from '../read/column-cache';
import { HitSource } from '../read/hit-source';
import { BlockLists } from '../../asking/select/block-lists';
import { BlockView } from '../../asking/select/block-view';
import { ComparedValues } from '../../asking/select/compared-values';
import { ofHits } from '../../asking/select/matching-rows';
import { Selections } from '../../asking/select/selections';

/** The hits of a day that are exported. */
interface SelectedHits {
  /** One for each selected hit, else zero, in the order in which the hits of a day are read. */
  readonly selected: Uint8Array;
  /** The day in the same snapshot. Undefined if it has no hits. */
  readonly stored: HitsOfDay | undefined;
}

/** Finds the hits of a day that a filter selects, with the cache and the limits of hit queries. */
export class DaySelection {
  constructor(
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly memory: WorkingMemory,
    private readonly queries: QueryAnswering,
  ) {}

  async select(websiteId: number, day: number, filter: Filter, limit: TimeLimit): Promise<SelectedHits> {
    const span = { from: day, to: day };
    const scope = { range: { days: span }, previous: undefined, filter, dimensions: [], metrics: [] };
    const hits = { websiteId, values: neededValues([scope]), filters: [filter], span };
    return this.queries.run(hits, limit, async (reader, known, check) => {
      const needed = [...new Set([...neededColumns([scope]), COLUMNS.referrer.code])];
      const needs = { websiteId, known, span, areAlike: areInSameRanges([scope]), needed, openFrom: day };
      const compared = new ComparedValues([filter], known.values);
      const { take } = this.memory;
      const memory = new PeakMemory(take);
      const rowLists = new BlockLists(memory);
      const source = new HitSource(reader, this.cache, needs, check, memory);
      const days = await source.days();
      const filters = new FilterMemory(undefined, take);
      const selection = new Selections(days, this.zone, filters, check).of(filter);
      const selected = new Uint8Array(days[0]?.hits ?? 0);
      let begin = 0;
      for await (const block of source.all(days)) {
        const view = new BlockView(block, known.values, memory, rowLists);
        const matches = ofHits(selection.of(view), view);
        const places = block.accepted ?? placesOf(block);
        for (let hit = 0; hit < matches.length; hit++) selected[begin + places[hit]!] = matches[hit]!;
        begin = source.foundOf(day);
      }
      compared.expectWhole('filter');
      return { selected, stored: days[0], isMerged: false };
    });
  }
}
