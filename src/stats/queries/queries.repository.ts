import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/gate';
import { Database } from '../../database/database';
import { RetentionClock } from '../../retention/retention-clock';
import { type Extent, readExtent } from '../../storage/stored-days';
import type { HitQuery, QueryResult } from './plan/hit-query';
import type { FunnelCounts, FunnelRequest } from './funnel/funnel-request';
import type { JourneyCounts, JourneyRequest } from './journey/journey-request';
import type { Walked } from './walk/walk';
import { QueryThreads } from '../threads/query-threads';
import type { Asker } from '../asker';

/** Sends queries to threads. The event loop scans no hits. */
@Injectable()
export class QueriesRepository {
  constructor(
    private readonly threads: QueryThreads,
    private readonly clock: RetentionClock,
    private readonly database: Database,
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
    return this.database.readQuick((manager) => readExtent(manager, websiteId, from));
  }

  /** Answers all queries from one snapshot. */
  ask(
    asker: Asker,
    websiteId: number,
    caller: Caller,
    statsFrom: number,
    hitQueries: HitQuery[],
    byDay?: HitQuery,
  ): Promise<QueryResult> {
    const request = { asker, websiteId, statsFrom, hitQueries, byDay };
    return this.threads.scan('hitQueries', request, caller);
  }

  /** The same for queries that may be sent again. */
  askNamed(
    name: string,
    asker: Asker,
    websiteId: number,
    caller: Caller,
    statsFrom: number,
    hitQueries: HitQuery[],
  ): Promise<QueryResult> {
    return this.threads.count(name, { asker, websiteId, statsFrom, hitQueries }, caller);
  }

  funnel(request: FunnelRequest, caller: Caller): Promise<Walked<FunnelCounts>> {
    return this.threads.scan('funnel', request, caller);
  }

  journey(request: JourneyRequest, caller: Caller): Promise<Walked<JourneyCounts>> {
    return this.threads.scan('journey', request, caller);
  }
}
