import { Controller, Get, Query, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Access, CallerKey, CostlyCaller, KeepsToWebsites } from '../../auth/bearer.guard';
import type { ApiKey } from '../../auth/api-key.entity';
import type { Caller } from '../../../engine/ground/gate';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { ClientAddress } from '../../http/requests/client-address';
import { OwnVisits } from '../../intake/inbox/own-visits';
import type { StatSummaryView } from '../../stats/dto/stats.view';
import { EVER } from '../../../engine/questions/range-query';
import { StatsService } from '../../stats/stats.service';
import { owner } from '../../stats/viewers/viewer';
import { IsPositiveInteger, Required } from '../../validation/rules';
import { websiteIdFor } from '../../websites/website-id';
import { Budget } from '../../http/requests/routes';

const NAMES = ['pageview', 'event', 'page', 'country', 'dropped'] as const;

class ShowFirstVisit {
  @Required()
  @IsPositiveInteger()
  website!: number;
}

interface FirstVisitView {
  /** Everything that the website ever received. */
  summaries: StatSummaryView[];
  /** The last event that was dropped while this session asked, and came from its address to this process. */
  own_dropped: { reason: string; seconds_ago: number } | null;
}

/** What the console's page that waits for the first visit asks again and again. */
@ApiExcludeController()
@Controller('console/api/first-visit')
@Budget('statistics')
@UseInterceptors(EnvelopeInterceptor)
export class FirstVisitController {
  constructor(
    private readonly stats: StatsService,
    private readonly ownVisits: OwnVisits,
    private readonly addresses: ClientAddress,
  ) {}

  @Get()
  @Access('read')
  @KeepsToWebsites()
  async show(
    @CallerKey() key: ApiKey,
    @Query() { website }: ShowFirstVisit,
    @CostlyCaller() caller: Caller,
    @Req() request: Request,
  ): Promise<FirstVisitView> {
    const id = websiteIdFor(key, website);
    const query = { ...EVER, names: [...NAMES], fill: false, per_page: 10 as const };
    const { result } = await this.stats.summarise(owner(key.userId), id, query, caller);
    const dropped = this.ownVisits.lastDropped(id, this.addresses.of(request));
    return {
      summaries: result!.summaries,
      own_dropped: dropped ? { reason: dropped.reason, seconds_ago: dropped.secondsAgo } : null,
    };
  }
}
