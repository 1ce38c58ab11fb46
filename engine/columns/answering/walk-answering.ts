import type { Queryable } from '../../database/rows';
import type { Reader } from '../../database/database';
import { readForgottenDays } from '../rollups/rollup-rows';
import { readState } from '../website-state';
import type { Check, TimeLimit } from '../../ground/deadline-check';
import { FilterMemory } from '../../asking/memory/filter-memory';
import { PeakMemory } from '../../asking/memory/peak-memory';
import { type QueryAnswering, rangesOf, spanOf } from './query-answering';
import type { Span } from '../../hits/calendar';
import { excludedBy, excludingIn, keptOf } from '../../questions/exclusions';
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

/** A question with its scope. */
interface Kind<Q extends WalkRequest, R> {
  scopeOf: (request: Q) => QueryScope;
  walkOf: (request: Q, tools: WalkTools) => Walk<R>;
}

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
    const walkOf = (own: FunnelRequest, tools: WalkTools) => new FunnelWalk(own, tools);
    return this.walked(request, limit, { scopeOf: scopeOfFunnel, walkOf });
  }

  journey(request: JourneyRequest, limit: TimeLimit): Promise<Walked<JourneyCounts>> {
    const walkOf = (own: JourneyRequest, tools: WalkTools) => new JourneyWalk(own, tools);
    return this.walked(request, limit, { scopeOf: scopeOfJourney, walkOf });
  }

  private walked<Q extends WalkRequest, R>(
    request: Q,
    limit: TimeLimit,
    { scopeOf, walkOf }: Kind<Q, R>,
  ): Promise<Walked<R>> {
    const { asker, websiteId, statsFrom } = request;
    const span = spanOf([request], statsFrom);
    return this.queries.run({ websiteId, span }, limit, async (reader) => {
      const { state, asOf } = await readState(this.database, reader, asker, websiteId);
      const excluding = excludingIn(state.exclusions, rangesOf([request]));
      const [filter, seen] = [request.filter, request.seen].map((own) => keptOf(own, excluding));
      const seenOnly = { ...request, filter, seen };
      const scope = scopeOf(seenOnly);
      const availableFrom = Math.max(statsFrom, state.archivedFrom);
      const needs = { websiteId, span: spanOf([scope], availableFrom), openFrom: state.closedBefore };
      return {
        values: neededValues([scope]),
        filters: filtersIn(scope),
        run: async (known, check) => {
          const hits = { ...needs, known };
          const walked = await this.walkedOver(
            reader,
            hits,
            scope,
            (tools) => walkOf(seenOnly, tools),
            check,
          );
          return { ...walked, asOf, availableFrom, excluded: excludedBy(asker, excluding, [span]) };
        },
      };
    });
  }

  private async walkedOver<R>(
    reader: Queryable,
    hits: { websiteId: number; known: KnownWebsite; span: Span; openFrom: number },
    scope: QueryScope,
    walkOf: (tools: WalkTools) => Walk<R>,
    check: Check,
  ): Promise<Omit<Walked<R>, 'asOf' | 'availableFrom' | 'excluded'>> {
    const { websiteId, known, span } = hits;
    const needs = { ...hits, areAlike: areInSameRanges([scope]), needed: neededColumns([scope]) };
    const { take } = this.memory;
    const blocks = new PeakMemory(take);
    const source = new HitSource(reader, this.cache, needs, check, blocks);
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
    return { result, firstDay, isMerged: walk.isMerged, forgotten };
  }
}
