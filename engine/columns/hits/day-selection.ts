import { COLUMNS } from '../../hits/hit-columns';
import { placesOf } from '../../hits/hits-of-block';
import type { HitsOfDay } from '../stored-days';
import type { TimeLimit } from '../../ground/deadline-check';
import { PeakMemory } from '../../asking/memory/peak-memory';
import { BlockSelection } from '../../asking/select/block-selection';
import type { QueryAnswering } from '../answering/query-answering';
import type { WorkingMemory } from '../../asking/memory/working-memory';
import type { Filter } from '../../questions/parse/filter';
import type { Zone } from '../../questions/plan/buckets';
import { neededColumns, neededValues } from '../../questions/plan/needed-values';
import { areInSameRanges } from '../../questions/plan/range-days';
import type { ColumnCache } from '../read/column-cache';
import { HitSource } from '../read/hit-source';

/** What is asked of each hit of a day. */
interface HitsFilters<F> {
  /** Tells whether it is exported. Without it, all are. */
  readonly selected: F | undefined;
  /** Tells whether no exclusion selects it. Without it, none does. */
  readonly kept: F | undefined;
}

/**
 * For each filter, one for each hit that passes, else zero, in the order in which the hits of a day are read; and the
 * day in the same snapshot. Undefined if it has no hits.
 */
type FoundHits = HitsFilters<Uint8Array> & { readonly stored: HitsOfDay | undefined };

/** Finds the hits of a day that filters select, with the cache and the limits of hit queries. */
export class DaySelection {
  constructor(
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly memory: WorkingMemory,
    private readonly queries: QueryAnswering,
  ) {}

  select(
    websiteId: number,
    day: number,
    { selected, kept }: HitsFilters<Filter>,
    limit: TimeLimit,
  ): Promise<FoundHits> {
    const span = { from: day, to: day };
    const filters = [selected, kept].filter((own) => own !== undefined);
    const filter = { kind: 'any' as const, of: filters };
    const scope = { range: { days: span }, previous: undefined, filter, dimensions: [], metrics: [] };
    const run = this.queries.run({ websiteId, span }, limit, (reader) =>
      Promise.resolve({
        values: neededValues([scope]),
        filters,
        run: async (known, check) => {
          const needed = [...new Set([...neededColumns([scope]), COLUMNS.referrer.code])];
          const needs = { websiteId, known, span, areAlike: areInSameRanges([scope]), needed, openFrom: day };
          const { take } = this.memory;
          const memory = new PeakMemory(take);
          const source = new HitSource(reader, this.cache, needs, check, memory);
          const days = await source.days();
          const { values } = known;
          const tools = { values, zone: this.zone, memory, take, check };
          const hits = days[0]?.hits ?? 0;
          const lists = filters.map((own) => ({
            selection: new BlockSelection(own, days, tools),
            list: new Uint8Array(hits),
          }));
          let begin = 0;
          for await (const block of source.all(days)) {
            const places = block.accepted ?? placesOf(block);
            for (const { selection, list } of lists) {
              const { hits: matches } = selection.in(block);
              for (let hit = 0; hit < block.hits; hit++) list[begin + places[hit]!] = matches?.[hit] ?? 1;
            }
            begin = source.foundOf(day);
          }
          for (const { selection } of lists) selection.expectWhole();
          const listOf = (own: Filter | undefined) => own && lists[filters.indexOf(own)]!.list;
          return { selected: listOf(selected), kept: listOf(kept), stored: days[0], isMerged: false };
        },
      }),
    );
    return run;
  }
}
