import type { Queryable } from '../../database/rows';
import type { Reader } from '../../database/database';
import { readForgottenDays } from '../../columns/rollups/rollup-rows';
import { readState } from '../../columns/website-state';
import type { Check, Turn } from '../../ground/deadline-check';
import { FilterMemory } from '../answer/filter-memory';
import { PeakMemory } from '../answer/peak-memory';
import { type QueryAnswering, spanOf, spanOfDays } from '../answer/query-answering';
import type { WorkingMemory } from '../answer/working-memory';
import { FunnelWalk } from '../funnel/funnel-walk';
import { type FunnelCounts, type FunnelRequest, scopeOfFunnel } from '../../questions/funnel-request';
import { type JourneyCounts, type JourneyRequest, scopeOfJourney } from '../../questions/journey-request';
import { JourneyWalk } from '../journey/journey-walk';
import type { Zone } from '../../questions/plan/buckets';
import { filtersIn, neededColumns, neededValues, type QueryScope } from '../../questions/plan/needed-values';
import { areInSameRanges } from '../../questions/plan/range-days';
import type { ColumnCache, KnownWebsite } from '../../columns/read/column-cache';
import { HitSource } from '../../columns/read/hit-source';
import { BlockLists } from '../select/block-lists';
import { BlockView } from '../select/block-view';
import { Selections } from '../select/selections';
import type { WalkRequest } from '../../questions/walk-request';
import type { Walked } from '../../questions/walk-request';
import type { Walk, WalkTools } from './walk';
import { WalkMemory } from './walk-memory';

type WalkOf<R> = (tools: WalkTools) => Walk<R>;

/** Answers funnels and journeys, one at a time, with the cache and the limits of hit queries. */
export class WalkAnswering {
  constructor(
    private readonly database: Reader,
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly memory: WorkingMemory,
    private readonly queries: QueryAnswering,
  ) {}

  funnel(request: FunnelRequest, turn: Turn): Promise<Walked<FunnelCounts>> {
    return this.walked(request, scopeOfFunnel(request), turn, (tools) => new FunnelWalk(request, tools));
  }

  journey(request: JourneyRequest, turn: Turn): Promise<Walked<JourneyCounts>> {
    return this.walked(request, scopeOfJourney(request), turn, (tools) => new JourneyWalk(request, tools));
  }

  private walked<R>(
    request: WalkRequest,
    scope: QueryScope,
    turn: Turn,
    walkOf: WalkOf<R>,
  ): Promise<Walked<R>> {
    const { websiteId, statsFrom } = request;
    const span = spanOf([scope], statsFrom);
    const hits = { websiteId, span, values: neededValues([scope]), filters: filtersIn(scope) };
    return this.queries.run(hits, turn, (reader, known, check) =>
      this.walkedAt(reader, request, scope, walkOf, known, check),
    );
  }

  private async walkedAt<R>(
    reader: Queryable,
    { asker, websiteId, statsFrom }: WalkRequest,
    scope: QueryScope,
    walkOf: WalkOf<R>,
    known: KnownWebsite,
    check: Check,
  ): Promise<Walked<R>> {
    const { state, asOf } = await readState(this.database, reader, asker, websiteId);
    const availableFrom = Math.max(statsFrom, state.archivedFrom);
    const span = spanOf([scope], availableFrom);
    const [areAlike, needed] = [areInSameRanges([scope]), neededColumns([scope])];
    const hits = { websiteId, known, span, areAlike, needed, openFrom: state.closedBefore };
    const { take } = this.memory;
    const blocks = new PeakMemory(take);
    const rowLists = new BlockLists(blocks);
    const source = new HitSource(reader, this.cache, hits, check, blocks);
    const days = await source.days();
    const walk = walkOf({
      selections: new Selections(spanOfDays(days), this.zone, new FilterMemory(undefined, take), check),
      values: known.values,
      zone: this.zone,
      memory: new WalkMemory(new PeakMemory(take)),
      check,
    });
    for await (const block of source.all(days.filter(({ day }) => walk.covers(day)))) {
      check();
      walk.add(new BlockView(block, known.values, blocks, rowLists));
    }
    const result = walk.result();
    const firstDay = days[0]?.day ?? Infinity;
    const noted = await readForgottenDays(reader, websiteId, span);
    const forgotten = [...source.forgotten, ...noted.filter((day) => walk.covers(day))];
    return { result, asOf, availableFrom, firstDay, isMerged: walk.isMerged, forgotten };
  }
}
