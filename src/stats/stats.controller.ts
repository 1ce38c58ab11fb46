import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CallerId, CostlyCaller } from '../auth/bearer.guard';
import type { Caller } from '../../engine/ground/gate';
import type { Precondition } from '../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../http/answers/envelope.interceptor';
import { FILES_NOTE, type Listing, Lists, TABLE_NOTE, Tables } from '../http/answers/listing';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { IsKnown } from '../http/answers/revalidation';
import { ApiWebsiteId, WebsiteId } from '../websites/website-id';
import { listingOf, summaryOf, valuesOf } from './tagged-answers';
import { ValuesMetaView } from './dto/list-values.dto';
import { StatsQuery, SummaryQuery, ValuesQuery } from './dto/in-format';
import { StatEntryView, StatsMetaView, StatSummaryView, SummaryMetaView } from './dto/stats.view';
import { StatsService } from './stats.service';
import { owner } from './viewers/viewer';
import { Budget } from '../http/requests/routes';

@ApiTags('Statistics')
@Controller('api/v1/stats')
@Budget('statistics')
@UseInterceptors(EnvelopeInterceptor)
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get(':website_id')
  @Access('read')
  @ApiOperation({
    operationId: 'getStats',
    summary: 'Show statistics',
    description: `The counts of a website in a range of days, one entry for each value of the chosen name. ${FILES_NOTE}`,
  })
  @ApiWebsiteId('website_id')
  @Lists(StatEntryView, StatsMetaView, 'A page of statistic entries.')
  @ApiProblems([400, 404, 422, 500, 503])
  show(
    @CallerId() userId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() query: StatsQuery,
    @CostlyCaller() caller: Caller,
  ): Listing<StatEntryView> {
    return listingOf(this.stats, { viewer: owner(userId), websiteId, caller }, query);
  }

  @Get(':website_id/summary')
  @Access('read')
  @ApiOperation({
    operationId: 'getStatsSummary',
    summary: 'Summarise statistics',
    description: `The largest entries of several names, with pageview and visitor by day, all of one moment. ${TABLE_NOTE}`,
  })
  @ApiWebsiteId('website_id')
  @Tables(StatSummaryView, SummaryMetaView, 'The names, in the requested order.')
  @ApiProblems([400, 404, 422, 500, 503])
  summarise(
    @CallerId() userId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() query: SummaryQuery,
    @CostlyCaller() caller: Caller,
    @IsKnown() isKnown: Precondition,
  ) {
    return summaryOf(this.stats, { viewer: owner(userId), websiteId, caller }, query, isKnown);
  }

  @Get(':website_id/values')
  @Access('read')
  @ApiOperation({
    operationId: 'listValues',
    summary: 'List values',
    description: `The values of a name on any day, the most frequent first, for a filter box. ${TABLE_NOTE}`,
  })
  @ApiWebsiteId('website_id')
  @Tables(StatEntryView, ValuesMetaView, 'The values.')
  @ApiProblems([400, 404, 422, 500, 503])
  values(
    @CallerId() userId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() query: ValuesQuery,
    @CostlyCaller() caller: Caller,
  ) {
    return valuesOf(this.stats, { viewer: owner(userId), websiteId, caller }, query);
  }
}
