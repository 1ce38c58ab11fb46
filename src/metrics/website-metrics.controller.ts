import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { ApiKey } from '../auth/api-key.entity';
import { Access, CallerKey, KeepsToWebsites } from '../auth/bearer.guard';
import { expectAccepted } from '../http/answers/wanted-format';
import { letTakeLonger } from '../http/connections/answer-in-time';
import { ApiProblems, REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';
import { Budget } from '../http/requests/routes';
import { NoFields } from '../validation/fields';
import { METRICS_TYPE } from './metrics-text';
import { WebsiteMetricsService } from './website-metrics.service';

const EXAMPLE =
  '# HELP milepost_website_visitors_now Visitors in the last 5 minutes.\n' +
  '# TYPE milepost_website_visitors_now gauge\nmilepost_website_visitors_now{domain="example.com"} 12\n';

@ApiTags('Statistics')
@Controller('api/v1/metrics')
@Budget('statistics')
export class WebsiteMetricsController {
  constructor(private readonly metrics: WebsiteMetricsService) {}

  @Get()
  @Access('read')
  @KeepsToWebsites()
  @ApiOperation({
    operationId: 'getWebsiteMetrics',
    summary: 'Read the numbers of websites for Prometheus',
    description:
      'Visitors now, and the visitors, page views and conversions of today, of the first 1,000 websites of the key, at ' +
      'most 30 seconds old. Conversions are left out if more than 100 websites of the user have goals.',
  })
  @ApiOkResponse({
    description: 'The numbers, as text of Prometheus.',
    headers: REQUEST_ID_HEADER,
    content: { 'text/plain': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems([400, 406, 422, 500, 503])
  async show(
    @CallerKey() key: ApiKey,
    @Query() _: NoFields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    expectAccepted(request, METRICS_TYPE);
    letTakeLonger(response);
    response.type(METRICS_TYPE).send(await this.metrics.text(key));
  }
}
