import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access, CallerId, CostlyCaller } from '../../../auth/bearer.guard';
import type { Caller } from '../../../../engine/ground/gate';
import { ApiProblems, REQUEST_ID_HEADER } from '../../../http/openapi/openapi-problems';
import { NoFields } from '../../../validation/fields';
import { ApiWebsiteId, WebsiteId } from '../../../websites/website-id';
import { JourneyAnswerView, JourneyQueryView } from '../../dto/journey.view';
import { owner } from '../../viewers/viewer';
import { JourneyQueriesService } from './journey-queries.service';
import { Budget } from '../../../http/requests/routes';

@ApiTags('Statistics')
@Controller('api/v1/stats')
@Budget('statistics')
export class JourneyController {
  constructor(private readonly journeys: JourneyQueriesService) {}

  @Post(':website_id/journey')
  @HttpCode(200)
  @Access('read')
  @ApiOperation({
    operationId: 'queryJourney',
    summary: 'Query journeys',
    description:
      'The pages and events of visits, step by step, from the start of each visit, from a page or from an event, forwards or backwards: the ten most frequent of each step, all others together, and the visits between them. It changes nothing.',
  })
  @ApiWebsiteId('website_id')
  @ApiBody({
    type: JourneyQueryView,
    examples: { pricing: { value: { from: { page: '/pricing' }, range: '30d' } } },
  })
  @ApiResponse({
    status: 200,
    description: 'The steps, and the links between them.',
    headers: REQUEST_ID_HEADER,
    type: JourneyAnswerView,
  })
  @ApiProblems([400, 404, 413, 415, 422, 429, 500, 503])
  query(
    @CallerId() userId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() _: NoFields,
    @Body() body: JourneyQueryView,
    @CostlyCaller() caller: Caller,
  ): Promise<JourneyAnswerView> {
    return this.journeys.answer(owner(userId), websiteId, body, caller);
  }
}
