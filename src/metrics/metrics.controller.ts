import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { expectAccepted } from '../http/answers/wanted-format';
import { ApiProblems, REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';
import { METRICS_TYPE } from './metrics-text';
import { MetricsService } from './metrics.service';
import { OperatorAccess } from './operator-access';

export const METRICS_PATH = '/metrics';

const EXAMPLE =
  '# HELP milepost_inbox_hits Hits that wait to be counted.\n# TYPE milepost_inbox_hits gauge\nmilepost_inbox_hits 12\n';

@ApiTags('Health')
@Controller(METRICS_PATH)
export class MetricsController {
  constructor(
    private readonly access: OperatorAccess,
    private readonly metrics: MetricsService,
  ) {}

  @Get()
  @ApiSecurity({})
  @ApiBearerAuth()
  @ApiOperation({
    operationId: 'getMetrics',
    summary: 'Read what this process measures',
    description:
      'For Prometheus. The bearer token is METRICS_TOKEN. Without this setting, only programs on the machine of the ' +
      'service may read it, and only while no proxy is configured.',
  })
  @ApiOkResponse({
    description: 'The measures, as text of Prometheus.',
    headers: REQUEST_ID_HEADER,
    content: { 'text/plain': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems([400, 401, 404, 406, 429])
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.access.check(request, response);
    expectAccepted(request, METRICS_TYPE);
    response
      .set('Cache-Control', 'no-store')
      .type(METRICS_TYPE)
      .send(await this.metrics.text());
  }
}
