import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CallerId } from '../auth/access';
import type { Precondition } from '../common/entity-tags';
import { EnvelopeInterceptor } from '../common/envelope.interceptor';
import { Lists } from '../common/listing';
import { ApiListWithMeta, ApiProblems } from '../common/openapi';
import { IsKnown, Revalidated } from '../common/revalidation';
import { ApiWebsiteId, WebsiteId } from '../websites/website-id';
import { ShowStats } from './dto/show-stats.dto';
import { StatEntryView, StatsMetaView, StatSummaryView, SummaryMetaView } from './dto/stats.view';
import { SummariseStats } from './dto/summarise-stats.dto';
import { StatsService } from './stats.service';

@ApiTags('Stats')
@Controller('api/v1/stats')
@UseInterceptors(EnvelopeInterceptor)
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get(':website_id')
  @Access('read')
  @ApiOperation({
    summary: 'Show statistics',
    description:
      'What was counted on a website in a range of days, one entry for each value of the chosen name.',
  })
  @ApiWebsiteId('website_id')
  @Lists(StatEntryView, StatsMetaView, 'A page of statistic entries.')
  @ApiProblems([400, 404, 422, 500, 503])
  show(
    @CallerId() ownerId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() query: ShowStats,
    @IsKnown() isKnown: Precondition,
  ) {
    return this.stats.list(ownerId, websiteId, query, isKnown);
  }

  @Get(':website_id/summary')
  @Access('read')
  @ApiOperation({
    summary: 'Summarise statistics',
    description: 'The largest entries of several names, all of the same moment.',
  })
  @ApiWebsiteId('website_id')
  @Revalidated()
  @ApiListWithMeta(StatSummaryView, SummaryMetaView, 'The names in the order in which they were asked for.')
  @ApiProblems([400, 404, 422, 500, 503])
  summarise(
    @CallerId() ownerId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() query: SummariseStats,
    @IsKnown() isKnown: Precondition,
  ) {
    return this.stats.summarise(ownerId, websiteId, query, isKnown);
  }
}
