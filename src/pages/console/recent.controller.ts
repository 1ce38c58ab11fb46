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
import { LiveService } from '../../stats/live/live.service';
import { StatsService } from '../../stats/stats.service';
import { owner, type Viewer } from '../../stats/viewers/viewer';
import { IsListOfIds, Required } from '../../validation/rules';
import { websiteIdFor } from '../../websites/website-id';

/** A page of the console's list. */
const MAX_WEBSITES = 100;
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
  /** The sum of the days that are 30 days before those of `visitors` that are over. */
  visitors_before: number;
  /** In the last 5 minutes. Null while the service or the user's looks are busy. */
  visitors_now: number | null;
}

/** The numbers in the console's list. */
@ApiExcludeController()
@Controller('console/api/recent')
@UseInterceptors(EnvelopeInterceptor)
export class RecentController {
  private readonly clock: DayClock;

  constructor(
    private readonly stats: StatsService,
    private readonly live: LiveService,
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
      const view = await unlessMissing(this.recentOf(key, id, today, caller));
      if (view) recent.push(view);
    }
    return recent;
  }

  private async recentOf(key: ApiKey, id: number, today: number, caller: Caller): Promise<RecentView> {
    const websiteId = websiteIdFor(key, id);
    const days = await this.visitorsByDay(owner(key.userId), websiteId, today, caller);
    const visitors = days.slice(DAYS);
    const isVisited = visitors.slice(-2).some((count) => count > 0);
    return {
      website_id: id,
      visitors,
      visitors_before: sumOf(days.slice(0, DAYS - 1)),
      visitors_now: isVisited ? await this.visitorsNow(owner(key.userId), websiteId) : 0,
    };
  }

  /** Of twice as many days as are shown. */
  private async visitorsByDay(viewer: Viewer, id: number, today: number, caller: Caller): Promise<number[]> {
    const range = { from: today - 2 * DAYS + 1, to: today, fill: true, per_page: 10 as const };
    const { result } = await this.stats.summarise(viewer, id, { names: ['visitor'], ...range }, caller);
    return result!.summaries[0]!.entries.map(({ count }) => count);
  }

  private async visitorsNow(viewer: Viewer, id: number): Promise<number | null> {
    try {
      return (await this.live.live(viewer, id)).data.last_5_minutes.visitors;
    } catch (error) {
      if (error instanceof Problem && [429, 503].includes(error.status)) return null;
      throw error;
    }
  }
}

/**
 * Undefined if the key does not see the website, which may have just been deleted, or if its numbers take too long now.
 * Others are shown.
 */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && [404, 503].includes(error.status)) return undefined;
    throw error;
  }
}

function sumOf(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
