import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access, CallerId } from '../../auth/bearer.guard';
import { EnvelopeInterceptor } from '../../http/answers/envelope.interceptor';
import { OnlyJson } from '../../http/answers/wanted-format';
import { ApiProblems, REQUEST_ID_HEADER } from '../../http/openapi/openapi-problems';
import { WithMeta } from '../../http/answers/pagination';
import { NoFields } from '../../validation/fields';
import { ApiWebsiteId, WebsiteId } from '../../websites/website-id';
import { owner } from '../viewers/viewer';
import { LiveService } from './live.service';
import { LiveAnswerView } from './live.view';
import { Budget } from '../../http/requests/routes';

@ApiTags('Statistics')
@Controller('api/v1/stats')
@Budget('statistics')
@UseInterceptors(EnvelopeInterceptor)
export class LiveController {
  constructor(private readonly live: LiveService) {}

  @Get(':website_id/live')
  @Access('read')
  @ApiOperation({
    operationId: 'getLiveVisitors',
    summary: 'Show live visitors',
    description:
      'The visitors of the last 5 and 30 minutes and of each minute, with their pages, referrers and countries, at most a second old. A visitor before and after midnight counts twice.',
  })
  @ApiWebsiteId('website_id')
  @OnlyJson()
  @ApiResponse({
    status: 200,
    description: 'The live visitors.',
    headers: REQUEST_ID_HEADER,
    type: LiveAnswerView,
  })
  @ApiProblems([400, 404, 422, 500, 503])
  async show(@CallerId() userId: number, @WebsiteId('website_id') websiteId: number, @Query() _: NoFields) {
    const { data, meta } = await this.live.live(owner(userId), websiteId);
    return new WithMeta(data, meta);
  }
}
