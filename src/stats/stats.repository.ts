import { Injectable } from '@nestjs/common';
import type { Caller } from '../../engine/ground/gate';
import { RetentionClock } from '../../engine/database/retention-clock';
import type { Span } from '../../engine/hits/calendar';
import type { StatEntryView } from './dto/stats.view';
import type { PlainRequest, PlainResult, WholeRequest } from '../../engine/questions/plain-request';
import type { ShownRequest, ShownResult } from '../../engine/questions/viewers/answer-for-viewers';
import type { DataVersion } from '../../engine/questions/asker';
import { askerOf, type Viewer } from './viewers/viewer';
import type { Aggregation } from '../../engine/questions/plan/aggregation';
import { Zone } from '../../engine/questions/plan/buckets';
import type { HitQuery } from '../../engine/questions/plan/hit-query';
import { Settings } from '../config/settings';
import { aggregationsOf, withStatements } from './dimensions/hit-aggregation';
import { HitStore } from '../../engine/port';
import { EntityDatabase } from '../database/entity-database';

/** The repository adds the first day with statistics. */
type Unlimited<T extends { statsFrom: number }> = Omit<T, 'statsFrom'>;

/** Sends requests for the fourteen names to threads. Each answer is of one moment. Writes statements for rows of hits. */
@Injectable()
export class StatsRepository {
  private readonly zone: Zone;

  constructor(
    private readonly database: EntityDatabase,
    private readonly store: HitStore,
    private readonly clock: RetentionClock,
    { timezone }: Settings,
  ) {
    this.zone = new Zone(timezone);
  }

  /** The current version of the counts of some days, or of what is counted from their hits. */
  async version(
    of: 'counts' | 'hits',
    viewer: Viewer,
    websiteId: number,
    ranges: Span[],
  ): Promise<DataVersion> {
    const { statsFrom } = await this.clock.calendar();
    return this.store.version(of, askerOf(viewer), websiteId, ranges, statsFrom);
  }

  expectSeen(viewer: Viewer, websiteId: number): Promise<void> {
    return this.store.expectSeen(askerOf(viewer).seenIf, websiteId);
  }

  /** The statements that count a query over rows of hits. Throws `NotInSql` if SQL cannot count it. */
  statementsFor(hitQuery: HitQuery): Aggregation[] {
    return aggregationsOf(this.database.writer, hitQuery, hitQuery.range, this.zone);
  }

  withStatements(hitQuery: HitQuery): HitQuery {
    return withStatements(this.database.writer, hitQuery, this.zone);
  }

  /** The moment since which each name is collected. */
  async collectedNames(): Promise<[name: string, since: number][]> {
    const rows = await this.database.readQuick((manager) =>
      manager
        .createQueryBuilder()
        .select('name')
        .addSelect('since')
        .from('collected_names', 'collected')
        .getRawMany<{ name: string; since: number | string }>(),
    );
    return rows.map(({ name, since }) => [name, Number(since)]);
  }

  async answer(request: Unlimited<PlainRequest>, caller: Caller): Promise<PlainResult> {
    return this.store.ask('plain', await this.limited(request), caller);
  }

  /** The statistics for viewers of a shared page. */
  async shown(request: Unlimited<ShownRequest>, caller: Caller): Promise<ShownResult> {
    return this.store.ask('shown', await this.limited(request), caller);
  }

  async *whole(request: Unlimited<WholeRequest>, caller: Caller): AsyncGenerator<StatEntryView[]> {
    yield* this.store.list('whole', await this.limited(request), caller) as AsyncGenerator<StatEntryView[]>;
  }

  private async limited<T extends object>(request: T): Promise<T & { statsFrom: number }> {
    return { ...request, statsFrom: (await this.clock.calendar()).statsFrom };
  }
}
