import { Body, Controller, HttpCode, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access, CallerId, CostlyCaller } from '../../auth/bearer.guard';
import type { Caller } from '../../../engine/ground/gate';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { ApiProblems, REQUEST_ID_HEADER } from '../../http/openapi/openapi-problems';
import { NoFields } from '../../validation/fields';
import { ApiWebsiteId, WebsiteId } from '../../websites/website-id';
import { answerOf } from '../tagged-answers';
import { QUERY_ANSWER, QueryAnswerView, HitQueriesView } from '../dto/query.view';
import { QueriesService } from './queries.service';
import { owner } from '../viewers/viewer';
import { Budget } from '../../http/requests/routes';

const EXAMPLE = {
  metrics: ['visitors', 'bounce_rate'],
  dimensions: ['country'],
  filters: [['is', 'device', ['mobile']]],
  range: '30d',
};

@ApiTags('Statistics')
@Controller('api/v1/stats')
@Budget('statistics')
@UseInterceptors(EnvelopeInterceptor)
export class QueriesController {
  constructor(private readonly hitQueries: QueriesService) {}

  @Post(':website_id/query')
  @HttpCode(200)
  @Access('read')
  @ApiOperation({
    operationId: 'queryStats',
    summary: 'Query hits',
    description:
      'Any metrics by up to three dimensions, over the hits that the filters select. It changes nothing. Up to 20 queries can be sent at once, as queries; all answers are of one moment.',
  })
  @ApiWebsiteId('website_id')
  @ApiBody({ type: HitQueriesView, examples: { countries: { value: EXAMPLE } } })
  @ApiExtraModels(QueryAnswerView)
  @ApiResponse({
    status: 200,
    description: 'The rows, in order.',
    headers: REQUEST_ID_HEADER,
    schema: QUERY_ANSWER,
  })
  @ApiProblems([400, 404, 413, 415, 422, 429, 500, 503])
  query(
    @CallerId() userId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() _: NoFields,
    @Body() body: HitQueriesView,
    @CostlyCaller() caller: Caller,
  ) {
    return answerOf(this.hitQueries, { viewer: owner(userId), websiteId, caller }, body);
  }
}
