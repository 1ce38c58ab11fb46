import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../engine/ground/gate';
import { RetentionClock } from '../../../engine/database/retention-clock';
import type { HitQuery, QueryRequest, QueryResult, ShownBy } from '../../../engine/questions/plan/hit-query';
import type { FunnelCounts, FunnelRequest } from '../../../engine/questions/funnel-request';
import type { JourneyCounts, JourneyRequest } from '../../../engine/questions/journey-request';
import type { Walked } from '../../../engine/questions/walk-request';
import type { Asker } from '../../../engine/questions/asker';
import { type Extent, HitStore } from '../../../engine/port';
import { StatsRepository } from '../stats.repository';

/** Sends queries to threads. The event loop scans no hits. */
@Injectable()
export class QueriesRepository {
  constructor(
    private readonly store: HitStore,
    private readonly clock: RetentionClock,
    private readonly stats: StatsRepository,
  ) {}

  /** The first day with statistics. */
  async statsFrom(): Promise<number> {
    return (await this.clock.calendar()).statsFrom;
  }

  /** The days that relative ranges depend on. */
  async calendar(websiteId: number): Promise<{ today: number; first: number; statsFrom: number }> {
    const { today, statsFrom } = await this.clock.calendar();
    const { first } = await this.extent(websiteId, statsFrom);
    return { today, statsFrom, first: first ?? today };
  }

  /** The days with hits, without those before `from`. */
  extent(websiteId: number, from: number): Promise<Extent> {
    return this.store.extent(websiteId, from);
  }

  /** Answers all queries from one snapshot. */
  ask(
    asker: Asker,
    websiteId: number,
    caller: Caller,
    statsFrom: number,
    hitQueries: HitQuery[],
    shownBy?: ShownBy,
  ): Promise<QueryResult> {
    const request = { asker, websiteId, statsFrom, hitQueries, shownBy };
    return this.store.ask('hitQueries', this.withStatements(request), caller);
  }

  /** Asks queries that may be sent again. */
  askNamed(
    name: string,
    asker: Asker,
    websiteId: number,
    caller: Caller,
    statsFrom: number,
    hitQueries: HitQuery[],
  ): Promise<QueryResult> {
    const request = { name, asker, websiteId, statsFrom, hitQueries };
    return this.store.ask('hitQueries', this.withStatements(request), caller);
  }

  funnel(request: FunnelRequest, caller: Caller): Promise<Walked<FunnelCounts>> {
    return this.store.ask('funnel', request, caller);
  }

  journey(request: JourneyRequest, caller: Caller): Promise<Walked<JourneyCounts>> {
    return this.store.ask('journey', request, caller);
  }

  private withStatements(request: QueryRequest): QueryRequest {
    if (!this.store.wantsStatements) return request;
    const { hitQueries, shownBy } = request;
    const written = (hitQuery: HitQuery) => this.stats.withStatements(hitQuery);
    return {
      ...request,
      hitQueries: hitQueries.map(written),
      shownBy: shownBy && 'byDay' in shownBy ? { byDay: written(shownBy.byDay) } : shownBy,
    };
  }
}
