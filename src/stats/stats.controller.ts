import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CallerId, CostlyCaller } from '../auth/access';
import { dayText } from '../common/days';
import type { Caller } from '../common/gate';
import { entityTagOf, type Precondition } from '../http/entity-tags';
import { EnvelopeInterceptor } from '../http/envelope.interceptor';
import { FILES_NOTE, type Listing, Lists } from '../http/listing';
import { ApiListWithMeta, ApiProblems } from '../http/openapi';
import { Page, WithMeta } from '../http/pagination';
import { IsKnown, Revalidated, Tagged } from '../http/revalidation';
import { ApiWebsiteId, WebsiteId } from '../websites/website-id';
import { ShowStats } from './dto/show-stats.dto';
import {
  COMPARED_COLUMNS,
  ENTRY_COLUMNS,
  StatEntryView,
  StatsMetaView,
  StatSummaryView,
  SummaryMetaView,
} from './dto/stats.view';
import { SummariseStats } from './dto/summarise-stats.dto';
import { StatsService } from './stats.service';
import type { HasVersion, Versioned } from './versions';

@ApiTags('Stats')
@Controller('api/v1/stats')
@UseInterceptors(EnvelopeInterceptor)
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get(':website_id')
  @Access('read')
  @ApiOperation({
    operationId: 'getStats',
    summary: 'Show statistics',
    description: `What was counted on a website in a range of days, one entry for each value of the chosen name. ${FILES_NOTE}`,
  })
  @ApiWebsiteId('website_id')
  @Lists(StatEntryView, StatsMetaView, 'A page of statistic entries.')
  @ApiProblems([400, 404, 422, 429, 500, 503])
  show(
    @CallerId() ownerId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() query: ShowStats,
    @CostlyCaller() caller: Caller,
  ): Listing<StatEntryView> {
    const { name, from, to, compare } = query;
    return {
      name: `${name}-${dayText(from)}-${dayText(to)}`,
      columns: compare ? COMPARED_COLUMNS : ENTRY_COLUMNS,
      page: async (isKnown) =>
        tagged(
          await this.stats.page(ownerId, websiteId, query, caller, versionIn(isKnown)),
          (result) => new Page(result, query, result.meta),
        ),
      version: () => this.stats.version(ownerId, websiteId, query, caller),
      pieces: () => this.stats.pieces(ownerId, websiteId, query, caller),
    };
  }

  @Get(':website_id/summary')
  @Access('read')
  @ApiOperation({
    operationId: 'getStatsSummary',
    summary: 'Summarise statistics',
    description:
      'The largest entries of several names, and pageview and visitor by day, all of the same moment.',
  })
  @ApiWebsiteId('website_id')
  @Revalidated()
  @ApiListWithMeta(StatSummaryView, SummaryMetaView, 'The names in the order in which they were asked for.')
  @ApiProblems([400, 404, 422, 429, 500, 503])
  async summarise(
    @CallerId() ownerId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() query: SummariseStats,
    @CostlyCaller() caller: Caller,
    @IsKnown() isKnown: Precondition,
  ) {
    return tagged(
      await this.stats.summarise(ownerId, websiteId, query, caller, versionIn(isKnown)),
      ({ summaries, meta }) => new WithMeta(summaries, meta),
    );
  }
}

function versionIn(isKnown: Precondition): HasVersion {
  return (version) => isKnown(entityTagOf(version));
}

function tagged<T, B>({ version, result }: Versioned<T>, bodyOf: (result: T) => B): Tagged<B> {
  return new Tagged(entityTagOf(version), result && bodyOf(result));
}
