import { Controller, Get, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Precondition } from '../../http/answers/entity-tags';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { type Listing, Lists, onePage, Tables } from '../../http/answers/listing';
import { OnlyJson } from '../../http/answers/wanted-format';
import { ETAG_HEADER, LinksView, PageMetaView, pageSchema } from '../../http/openapi/openapi';
import { REQUEST_ID_HEADER } from '../../http/openapi/openapi-problems';
import { WithMeta } from '../../http/answers/pagination';
import { IsKnown, Revalidated } from '../../http/answers/revalidation';
import { fileOf, pageOf, summaryOf, valuesOf } from '../../stats/tagged-answers';
import { ValuesMetaView } from '../../stats/dto/list-values.dto';
import { StatsQuery, SummaryQuery, ValuesQuery } from '../../stats/dto/in-format';
import { StatEntryView, StatsMetaView, StatSummaryView, SummaryMetaView } from '../../stats/dto/stats.view';
import { LiveService } from '../../stats/live/live.service';
import { LiveTotalsAnswerView } from '../../stats/live/live.view';
import { isStatName } from '../../../engine/questions/listed-names';
import { arePlain, isPlain, StatsService } from '../../stats/stats.service';
import { NoFields } from '../../validation/fields';
import { SharedAnnotationView } from '../../annotations/annotation.dto';
import { ListSharedAnnotations, SharedAnnotations } from './shared-annotations';
import { ApiDomain, ApiNotSeen, SharedCallers, WHO } from './shared-callers';
import { Budget } from '../../http/requests/routes';

const LIMITED =
  'While `share_filters` is 0, viewers other than the owner see one name at a time over past days, without filters: values that were counted fewer than 3 times, or on days with fewer than 10 visitors, are part of `(other)`, and visitors and page views of today are rounded down to tens. Where a saved filter has `shared` 1, all numbers are of the hits that it selects.';

/** The data of a shared page. */
@ApiTags('Shared')
@Controller('share/:domain/api')
@Budget('statistics')
@UseInterceptors(EnvelopeInterceptor)
export class SharedStatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly live: LiveService,
    private readonly callers: SharedCallers,
    private readonly annotations: SharedAnnotations,
  ) {}

  @Get('stats')
  @ApiOperation({
    operationId: 'getSharedStats',
    summary: 'Show shared statistics',
    description: `The same as \`GET /api/v1/stats/{website_id}\`; a file has the requested page. ${LIMITED} ${WHO}`,
  })
  @ApiDomain()
  @Lists(StatEntryView, StatsMetaView, 'A page of statistic entries.')
  @ApiNotSeen()
  show(
    @Param('domain') domain: string,
    @Query() query: StatsQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Listing<StatEntryView> {
    const ask = this.callers.askerOf(domain, request, response, isPlain(query) ? 'look' : 'ask');
    const page: Listing<StatEntryView>['page'] = (isKnown) =>
      ask((asking) => pageOf(this.stats, asking, query, isKnown));
    return { ...fileOf(query), page, ...onePage({ page }) };
  }

  @Get('summary')
  @ApiOperation({
    operationId: 'getSharedSummary',
    summary: 'Summarise shared statistics',
    description: `The same as \`GET /api/v1/stats/{website_id}/summary\`. ${LIMITED} ${WHO}`,
  })
  @ApiDomain()
  @Tables(StatSummaryView, SummaryMetaView, 'The names, in the requested order.')
  @ApiNotSeen()
  summarise(
    @Param('domain') domain: string,
    @Query() query: SummaryQuery,
    @IsKnown() isKnown: Precondition,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const ask = this.callers.askerOf(domain, request, response, arePlain(query) ? 'look' : 'ask');
    return ask((asking) => summaryOf(this.stats, asking, query, isKnown));
  }

  @Get('values')
  @ApiOperation({
    operationId: 'listSharedValues',
    summary: 'List values of shared statistics',
    description: `The same as \`GET /api/v1/stats/{website_id}/values\`, for the owner, and for viewers while \`share_filters\` is 1. ${WHO}`,
  })
  @ApiDomain()
  @Tables(StatEntryView, ValuesMetaView, 'The values.')
  @ApiNotSeen()
  values(
    @Param('domain') domain: string,
    @Query() query: ValuesQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const ask = this.callers.askerOf(domain, request, response, isStatName(query.name) ? 'look' : 'ask');
    return ask((asking) => valuesOf(this.stats, asking, query));
  }

  @Get('live')
  @ApiOperation({
    operationId: 'getSharedLiveVisitors',
    summary: 'Show live visitors of shared statistics',
    description: `The numbers of \`GET /api/v1/stats/{website_id}/live\`, without pages, referrers and countries. Where the page is limited to a saved filter, there are none. While \`share_filters\` is 0, they are rounded down to tens for viewers other than the owner, and not shown by minute. ${WHO}`,
  })
  @ApiDomain()
  @OnlyJson()
  @ApiResponse({
    status: 200,
    description: 'The number of visitors now.',
    headers: REQUEST_ID_HEADER,
    type: LiveTotalsAnswerView,
  })
  @ApiNotSeen()
  async showLive(
    @Param('domain') domain: string,
    @Query() _: NoFields,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const ask = this.callers.askerOf(domain, request, response, 'look');
    const { data, meta } = await ask(({ viewer, websiteId }) => this.live.totals(viewer, websiteId));
    return new WithMeta(data, meta);
  }

  @Get('annotations')
  @OnlyJson()
  @ApiOperation({
    operationId: 'listSharedAnnotations',
    summary: 'List annotations of shared statistics',
    description: `The public annotations of a range of days, the latest first, a page at a time. Viewers other than the owner get those of days whose statistics they see: while \`share_filters\` is 0, of days that are over. ${WHO}`,
  })
  @ApiDomain()
  @Revalidated()
  @ApiExtraModels(SharedAnnotationView, LinksView, PageMetaView)
  @ApiResponse({
    status: 200,
    description: 'A page of annotations.',
    headers: { ...REQUEST_ID_HEADER, ...ETAG_HEADER },
    schema: pageSchema(SharedAnnotationView, PageMetaView),
  })
  @ApiNotSeen()
  listAnnotations(
    @Param('domain') domain: string,
    @Query() query: ListSharedAnnotations,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const ask = this.callers.askerOf(domain, request, response, 'look');
    return ask(({ viewer, websiteId }) => this.annotations.page(viewer, websiteId, query));
  }
}
