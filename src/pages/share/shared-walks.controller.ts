import { Body, Controller, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiProblems, REQUEST_ID_HEADER } from '../../http/openapi/openapi-problems';
import { FunnelAnswerView, FunnelQueryView } from '../../stats/dto/funnel.view';
import { JourneyAnswerView, JourneyQueryView } from '../../stats/dto/journey.view';
import { FunnelQueriesService } from '../../stats/queries/funnel/funnel-queries.service';
import { JourneyQueriesService } from '../../stats/queries/journey/journey-queries.service';
import { NoFields } from '../../validation/fields';
import { fieldsAs } from '../../validation/fields.pipe';
import { ApiDomain, ApiNotSeen, SharedCallers, WHO } from './shared-callers';
import { Budget, ReadsBody } from '../../http/requests/routes';

const FOR_WHOM =
  'For the owner, and for viewers while `share_filters` is 1: by days, without currency and properties of events.';

/** Funnels and journeys of a shared page. */
@ApiTags('Shared')
@Controller('share/:domain/api')
@Budget('statistics')
export class SharedWalksController {
  constructor(
    private readonly funnels: FunnelQueriesService,
    private readonly journeys: JourneyQueriesService,
    private readonly callers: SharedCallers,
  ) {}

  @Post('funnel')
  @ReadsBody('viewerQuery')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'querySharedFunnel',
    summary: 'Query a funnel of shared statistics',
    description: `The same as \`POST /api/v1/stats/{website_id}/funnel\`. ${FOR_WHOM} ${WHO}`,
  })
  @ApiDomain()
  @ApiBody({ type: FunnelQueryView })
  @ApiResponse({
    status: 200,
    description: 'The steps.',
    headers: REQUEST_ID_HEADER,
    type: FunnelAnswerView,
  })
  @ApiProblems([413, 415])
  @ApiNotSeen()
  funnel(
    @Param('domain') domain: string,
    @Query() _: NoFields,
    @Body() body: object,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const ask = this.callers.askerOf(domain, request, response, 'ask');
    return ask(async ({ viewer, websiteId, caller }) =>
      this.funnels.answer(viewer, websiteId, await fieldsAs(FunnelQueryView, body), caller),
    );
  }

  @Post('journey')
  @ReadsBody('viewerQuery')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'querySharedJourney',
    summary: 'Query journeys of shared statistics',
    description: `The same as \`POST /api/v1/stats/{website_id}/journey\`. ${FOR_WHOM} ${WHO}`,
  })
  @ApiDomain()
  @ApiBody({ type: JourneyQueryView })
  @ApiResponse({
    status: 200,
    description: 'The steps, and the links between them.',
    headers: REQUEST_ID_HEADER,
    type: JourneyAnswerView,
  })
  @ApiProblems([413, 415])
  @ApiNotSeen()
  journey(
    @Param('domain') domain: string,
    @Query() _: NoFields,
    @Body() body: object,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const ask = this.callers.askerOf(domain, request, response, 'ask');
    return ask(async ({ viewer, websiteId, caller }) =>
      this.journeys.answer(viewer, websiteId, await fieldsAs(JourneyQueryView, body), caller),
    );
  }
}
