import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access, CallerKey, CostlyCaller, KeepsToWebsites } from '../../auth/access';
import type { ApiKey } from '../../auth/api-key.entity';
import { DayClock } from '../../common/time/day-clock';
import type { Caller } from '../../common/gate';
import { Problem } from '../../common/problem';
import { Settings } from '../../config/settings';
import { Database } from '../../database/database';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { StatsService } from '../../stats/stats.service';
import { owner } from '../../stats/viewers/viewer';
import { IsListOfIds, Required } from '../../validation/rules';
import { websiteIdFor } from '../../websites/website-id';

/** A page of the console's list. */
const MAX_WEBSITES = 25;
const DAYS = 30;

class ShowRecent {
  @Required()
  @IsListOfIds(MAX_WEBSITES)
  websites!: number[];
}

interface RecentView {
  website_id: number;
  /** By day, the oldest first. */
  visitors: number[];
}

/** The data of the sparklines in the console's list. */
@ApiExcludeController()
@Controller('console/api/recent')
@UseInterceptors(EnvelopeInterceptor)
export class RecentController {
  private readonly clock: DayClock;

  constructor(
    private readonly stats: StatsService,
    private readonly database: Database,
    { timezone }: Settings,
  ) {
    this.clock = new DayClock(timezone);
  }

  @Get()
  @Access('read')
  @KeepsToWebsites()
  async show(
    @CallerKey() key: ApiKey,
    @Query() { websites }: ShowRecent,
    @CostlyCaller() caller: Caller,
  ): Promise<RecentView[]> {
    const today = this.clock.dayOf(await this.database.now());
    const recent: RecentView[] = [];
    for (const id of websites) {
      const visitors = await this.visitors(key, id, today, caller);
      if (visitors) recent.push({ website_id: id, visitors });
    }
    return recent;
  }

  /** Undefined if the key does not see the website. It may have just been deleted. */
  private async visitors(
    key: ApiKey,
    id: number,
    today: number,
    caller: Caller,
  ): Promise<number[] | undefined> {
    const days = { from: today - DAYS + 1, to: today, fill: true, per_page: 10 as const };
    try {
      const viewer = owner(key.userId);
      const { result } = await this.stats.summarise(
        viewer,
        websiteIdFor(key, id),
        { names: ['visitor'], ...days },
        caller,
      );
      return result!.summaries[0]!.entries.map(({ count }) => count);
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}
