import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access, CallerId, CostlyCaller } from '../../../auth/bearer.guard';
import type { Caller } from '../../../../engine/ground/gate';
import { STEPS_SCHEMA } from '../../../goals/funnels/funnel-schemas';
import { ApiProblems, REQUEST_ID_HEADER } from '../../../http/openapi/openapi-problems';
import { NoFields } from '../../../validation/fields';
import { ApiWebsiteId, WebsiteId } from '../../../websites/website-id';
import { FunnelAnswerView, FunnelQueryView } from '../../dto/funnel.view';
import { owner } from '../../viewers/viewer';
import { FunnelQueriesService } from './funnel-queries.service';
import { Budget } from '../../../http/requests/routes';

const EXAMPLE = { steps: STEPS_SCHEMA.example, range: '30d' };

@ApiTags('Statistics')
@Controller('api/v1/stats')
@Budget('statistics')
export class FunnelController {
  constructor(private readonly funnels: FunnelQueriesService) {}

  @Post(':website_id/funnel')
  @HttpCode(200)
  @Access('read')
  @ApiOperation({
    operationId: 'queryFunnel',
    summary: 'Query a funnel',
    description:
      'The visitors of a day who take steps one after the other: how many reach each step, how long they take, and where the others go. The funnel is a stored one, or sent as steps. It changes nothing.',
  })
  @ApiWebsiteId('website_id')
  @ApiBody({ type: FunnelQueryView, examples: { signups: { value: EXAMPLE } } })
  @ApiResponse({
    status: 200,
    description: 'The steps.',
    headers: REQUEST_ID_HEADER,
    type: FunnelAnswerView,
  })
  @ApiProblems([400, 404, 413, 415, 422, 429, 500, 503])
  query(
    @CallerId() userId: number,
    @WebsiteId('website_id') websiteId: number,
    @Query() _: NoFields,
    @Body() body: FunnelQueryView,
    @CostlyCaller() caller: Caller,
  ): Promise<FunnelAnswerView> {
    return this.funnels.answer(owner(userId), websiteId, body, caller);
  }
}
