import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access, CallerKey, CostlyCaller, KeepsToWebsites } from '../../auth/bearer.guard';
import type { ApiKey } from '../../auth/api-key.entity';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { dayText } from '../../../engine/ground/time/days';
import type { Caller } from '../../../engine/ground/gate';
import { Problem } from '../../../engine/ground/errors';
import { statusOf, willPass } from '../../common/problems';
import { Settings } from '../../config/settings';
import { Database } from '../../../engine/database/database';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { LiveService } from '../../stats/live/live.service';
import { StatsService } from '../../stats/stats.service';
import { owner, type Owner } from '../../stats/viewers/viewer';
import { IfSent, IsListOfIds, IsPositiveInteger, Required } from '../../validation/rules';
import { websiteIdFor } from '../../websites/website-id';
import { WebsitesService } from '../../websites/websites.service';
import { Budget } from '../../http/requests/routes';

/** A page of the console's list. */
const MAX_WEBSITES = 100;
const DAYS = 28;

class ShowRecent {
  @Required()
  @IsListOfIds(MAX_WEBSITES)
  websites!: number[];
}

class ShowTotal {
  @IfSent()
  @IsPositiveInteger()
  page: number = 1;
}

interface Visitors {
  /** By day, the oldest first. */
  visitors: number[];
  /** The sum of the days that are 28 days before those of `visitors` that are over. */
  visitors_before: number;
  /** The first day with visitors, as Y-m-d, if it is later than the first of the days before; else null. */
  since: string | null;
}

interface ByDay {
  /** Twice as many days as are shown. */
  days: number[];
  /** The first day with visitors, or any that is not later than these. Infinity without visitors. */
  first: number;
}

interface RecentView extends Visitors {
  website_id: number;
  /** In the last 5 minutes. Null while the service or the user's looks are busy. */
  visitors_now: number | null;
}

/** The numbers in the console's list. */
@ApiExcludeController()
@Controller('console/api/recent')
@Budget('statistics')
@UseInterceptors(EnvelopeInterceptor)
export class RecentController {
  private readonly clock: DayClock;

  constructor(
    private readonly websites: WebsitesService,
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
      const view = await unless([404, 503], this.recentOf(key, id, today, caller));
      if (view) recent.push(view);
    }
    return recent;
  }

  /** Of a page of all websites together. The console adds the pages up, so no request costs more than a list. */
  @Get('total')
  @Access('read')
  @KeepsToWebsites()
  async total(
    @CallerKey() { userId, websites: only }: ApiKey,
    @Query() { page }: ShowTotal,
    @CostlyCaller() caller: Caller,
  ): Promise<Visitors> {
    const today = this.clock.dayOf(await this.database.now());
    const days = Array<number>(2 * DAYS).fill(0);
    let first = Infinity;
    for (const id of await this.websites.ids(userId, { page, per_page: MAX_WEBSITES }, only)) {
      const own = await unless([404], this.visitorsByDay(owner(userId), id, today, caller));
      if (!own) continue;
      for (const [index, count] of own.days.entries()) days[index]! += count;
      first = Math.min(first, own.first);
    }
    return visitorsIn({ days, first }, today);
  }

  private async recentOf(key: ApiKey, id: number, today: number, caller: Caller): Promise<RecentView> {
    const websiteId = websiteIdFor(key, id);
    const byDay = await this.visitorsByDay(owner(key.userId), websiteId, today, caller);
    const isVisited = byDay.days.slice(-2).some((count) => count > 0);
    return {
      website_id: id,
      ...visitorsIn(byDay, today),
      visitors_now: isVisited ? await this.visitorsNow(owner(key.userId), websiteId) : 0,
    };
  }

  private async visitorsByDay(viewer: Owner, id: number, today: number, caller: Caller): Promise<ByDay> {
    const range = { from: firstCompared(today), to: today, fill: true, per_page: 10 as const };
    const { result } = await this.stats.summarise(viewer, id, { names: ['visitor'], ...range }, caller);
    const days = result!.summaries[0]!.entries.map(({ count }) => count);
    const isVisited = days.some((count) => count > 0);
    if (days[0]! > 0 || !isVisited) return { days, first: isVisited ? range.from : Infinity };
    return { days, first: (await this.stats.firstDay(viewer, id, caller)) ?? Infinity };
  }

  private async visitorsNow(viewer: Owner, id: number): Promise<number | null> {
    try {
      return (await this.live.live(viewer, id)).data.last_5_minutes.visitors;
    } catch (error) {
      if (error instanceof Problem && willPass(error)) return null;
      throw error;
    }
  }
}

const firstCompared = (today: number) => today - 2 * DAYS + 1;

function visitorsIn({ days, first }: ByDay, today: number): Visitors {
  const isLater = first > firstCompared(today) && first !== Infinity;
  return {
    visitors: days.slice(DAYS),
    visitors_before: sumOf(days.slice(0, DAYS - 1)),
    since: isLater ? dayText(first) : null,
  };
}

/**
 * Undefined if it ends with one of these: the key does not see the website, which may have just been deleted (404), or
 * its numbers take too long now (503). Others are shown.
 */
async function unless<T>(statuses: readonly number[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && statuses.includes(statusOf(error))) return undefined;
    throw error;
  }
}

function sumOf(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
