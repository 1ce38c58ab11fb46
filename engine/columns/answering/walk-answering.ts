import type { Queryable } from '../../database/rows';
import type { Reader } from '../../database/database';
import { readForgottenDays } from '../rollups/rollup-rows';
import { readState } from '../website-state';
import type { Check, TimeLimit } from '../../ground/deadline-check';
import { FilterMemory } from '../../asking/memory/filter-memory';
import { PeakMemory } from '../../asking/memory/peak-memory';
import { type QueryAnswering, spanOf } from './query-answering';
import type { WorkingMemory } from '../../asking/memory/working-memory';
import { FunnelWalk } from '../../asking/funnel/funnel-walk';
import { type FunnelCounts, type FunnelRequest, scopeOfFunnel } from '../../questions/funnel-request';
import { type JourneyCounts, type JourneyRequest, scopeOfJourney } from '../../questions/journey-request';
import { JourneyWalk } from '../../asking/journey/journey-walk';
import type { Zone } from '../../questions/plan/buckets';
import { filtersIn, neededColumns, neededValues, type QueryScope } from '../../questions/plan/needed-values';
import { areInSameRanges } from '../../questions/plan/range-days';
import type { ColumnCache, KnownWebsite } from '../read/column-cache';
import { HitSource } from '../read/hit-source';
import { Selections } from '../../asking/select/selections';
import type { WalkRequest } from '../../questions/walk-request';
import type { Walked } from '../../questions/walk-request';
import { type Walk, walkOver, type WalkTools } from '../../asking/walk/walk';
import { WalkMemory } from '../../asking/walk/walk-memory';

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

  funnel(request: FunnelRequest, limit: TimeLimit): Promise<Walked<FunnelCounts>> {
    return this.walked(request, scopeOfFunnel(request), limit, (tools) => new FunnelWalk(request, tools));
  }

  journey(request: JourneyRequest, limit: TimeLimit): Promise<Walked<JourneyCounts>> {
    return this.walked(request, scopeOfJourney(request), limit, (tools) => new JourneyWalk(request, tools));
  }

  private walked<R>(
    request: WalkRequest,
    scope: QueryScope,
    limit: TimeLimit,
    walkOf: WalkOf<R>,
  ): Promise<Walked<R>> {
    const { websiteId, statsFrom } = request;
    const span = spanOf([scope], statsFrom);
    const hits = { websiteId, span, values: neededValues([scope]), filters: filtersIn(scope) };
    return this.queries.run(hits, limit, (reader, known, check) =>
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
    const source = new HitSource(reader, this.cache, hits, check, blocks);
    const days = await source.days();
    const walk = walkOf({
      selections: new Selections(days, this.zone, new FilterMemory(undefined, take), check),
      values: known.values,
      zone: this.zone,
      memory: new WalkMemory(new PeakMemory(take)),
      check,
    });
    await walkOver(walk, source, days, { values: known.values, blocks, check });
    const result = walk.result();
    const firstDay = days[0]?.day ?? Infinity;
    const noted = await readForgottenDays(reader, websiteId, span);
    const forgotten = [...source.forgotten, ...noted.filter((day) => walk.covers(day))];
    return { result, asOf, availableFrom, firstDay, isMerged: walk.isMerged, forgotten };
  }
}
