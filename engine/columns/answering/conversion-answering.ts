import type { Queryable } from '../../database/rows';
import type { Span } from '../../hits/calendar';
import { readClosedDays } from '../closed-days';
import { cursorOf, firstFollowedDay, readCounted, readingOf } from '../followed-websites';
import { type HitsOfDay, readDays } from '../stored-days';
import { pause, type Check, type TimeLimit } from '../../ground/deadline-check';
import { FilterMemory } from '../../asking/memory/filter-memory';
import { PeakMemory } from '../../asking/memory/peak-memory';
import type { QueryAnswering } from './query-answering';
import type { WorkingMemory } from '../../asking/memory/working-memory';
import type { Zone } from '../../questions/plan/buckets';
import { neededColumns, neededValues } from '../../questions/plan/needed-values';
import { areInSameRanges } from '../../questions/plan/range-days';
import type { ColumnCache, KnownWebsite } from '../read/column-cache';
import { BlockLists } from '../../asking/select/block-lists';
import { BlockView } from '../../asking/select/block-view';
import { ComparedValues } from '../../asking/select/compared-values';
import type { HitClasses } from '../../asking/select/classes/hit-classes';
import { ALL_MATCH, type Matches } from '../../asking/select/matching-rows';
import type { Selection } from '../../asking/select/selection';
import { excludingIn, keptBy } from '../../questions/exclusions';
import type { Filter } from '../../questions/parse/filter';
import { reachingIn } from '../../asking/select/rows-of-filters';
import { Selections } from '../../asking/select/selections';
import {
  areOfSingleHits,
  type ConversionsRequest,
  type ReadConversions,
  scopeOfConversions,
} from '../../questions/conversions-request';
import { GoalTally, ShownValues } from '../../asking/conversions/goal-tally';
import { type NewBlock, type NewDay, NewHits } from './new-hits';

const LAST_DAY = 2 ** 31 - 1;

/** The hits that count. */
interface CountedHits {
  readonly span: Span;
  readonly folds: number;
  /** Undefined if nothing is left out. */
  readonly kept: Filter | undefined;
  /** The filters of goals, and of exclusions. */
  readonly filters: Filter[];
}

/** Finds the conversions among hits that were not read before, with the cache and the limits of hit queries. */
export class ConversionAnswering {
  constructor(
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly memory: WorkingMemory,
    private readonly queries: QueryAnswering,
  ) {}

  async read(request: ConversionsRequest, limit: TimeLimit): Promise<ReadConversions> {
    const { websiteId, readAt, goals } = request;
    const span = { from: firstFollowedDay(this.zone.dayOf(readAt / 1000)), to: LAST_DAY };
    const { result } = await this.queries.run({ websiteId, span }, limit, async (reader) => {
      const { folds, exclusions } = await readCounted(reader, websiteId);
      const kept = keptBy(excludingIn(exclusions, [span]));
      const filters = kept ? [...goals, kept] : [...goals];
      const counted = { span, folds, kept, filters };
      return {
        values: neededValues([scopeOfConversions(filters, span)]),
        filters,
        run: async (known, check) => ({
          result: await this.readNew(reader, request, counted, known, check),
          isMerged: false,
        }),
      };
    });
    return result;
  }

  private async readNew(
    reader: Queryable,
    request: ConversionsRequest,
    counted: CountedHits,
    known: KnownWebsite,
    check: Check,
  ): Promise<ReadConversions> {
    const { websiteId, readAt, goals } = request;
    const { span, folds, filters } = counted;
    const before = readingOf(request.since);
    const places = new Map(before.places.filter(([day]) => day >= span.from));
    const stored = await readDays(reader, websiteId, span);
    const days = stored.flatMap((day) => newDayOf(day, places.get(day.day) ?? 0));
    const compared = new ComparedValues(filters, known.values);
    const tools = await this.tools(reader, request, counted, stored, known, check);
    const { hits, classes, memory, kept } = tools;
    const tallies = goals.map(() => new GoalTally());
    const ends = new Map<number, number>();
    const rowLists = new BlockLists(memory);
    let left = request.maxHits;
    for (const day of days) {
      if (left <= 0) break;
      for await (const block of hits.of(day, left)) {
        await pause(check);
        const view = new BlockView(block.hits, known.values, memory, rowLists);
        addBlock(block, view, classes, kept?.of(view) ?? ALL_MATCH, tallies);
      }
      ends.set(day.stored.day, hits.end);
      left -= hits.end - day.place;
    }
    compared.expectWhole('filters');
    const isAll = days.every(({ stored }) => ends.get(stored.day) === stored.hits);
    const reading = {
      places: [...new Map([...places, ...ends])],
      folds: isAll ? folds : before.folds,
      readAt,
      isAll,
    };
    return {
      cursor: cursorOf(reading),
      skipped: days.reduce((sum, day) => sum + skippedOf(day, places, ends), 0),
      isAll,
      goals: tallies.map((tally) => tally.result()),
    };
  }

  private async tools(
    reader: Queryable,
    { websiteId, goals }: ConversionsRequest,
    { span, kept, filters }: CountedHits,
    stored: HitsOfDay[],
    known: KnownWebsite,
    check: Check,
  ): Promise<{ hits: NewHits; classes: HitClasses; kept: Selection | undefined; memory: PeakMemory }> {
    const { closedBefore } = await readClosedDays(reader, websiteId);
    const scope = scopeOfConversions(filters, span);
    const [areAlike, needed] = [areInSameRanges([scope]), neededColumns([scope])];
    const needs = { websiteId, known, span, areAlike, needed, openFrom: closedBefore };
    const { take } = this.memory;
    const memory = new PeakMemory(take);
    const selections = new Selections(stored, this.zone, new FilterMemory(undefined, take), check);
    return {
      memory,
      hits: new NewHits(reader, this.cache, needs, check, memory, areOfSingleHits(filters)),
      classes: selections.classesOf([...goals]),
      kept: kept && selections.of(kept),
    };
  }
}

/** Hits in columns have lost their order, so those that were not read before are skipped. */
function newDayOf(stored: HitsOfDay, read: number): NewDay[] {
  const place = Math.max(read, stored.columns?.hits ?? 0);
  return place < stored.hits || read < place ? [{ stored, place }] : [];
}

function skippedOf(
  { stored, place }: NewDay,
  places: ReadonlyMap<number, number>,
  ends: ReadonlyMap<number, number>,
): number {
  return ends.has(stored.day) ? place - Math.min(place, places.get(stored.day) ?? 0) : 0;
}

function addBlock(
  { placeOf, from, before }: NewBlock,
  view: BlockView,
  classes: HitClasses,
  kept: Matches,
  tallies: readonly GoalTally[],
): void {
  const { places, classOf } = reachingIn(view, classes, kept);
  let values: ShownValues | undefined;
  for (let index = 0; index < places.length; index++) {
    const hit = places[index]!;
    const place = placeOf(hit);
    if (place < from || place >= before) continue;
    values ??= new ShownValues(view);
    for (const goal of classes.filtersOf(classOf[index]!)) tallies[goal]!.add(values, hit);
  }
}
