import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { expectAccepted } from '../http/answers/wanted-format';
import { ApiProblems, REQUEST_ID_HEADER } from '../http/openapi/openapi-problems';
import { ClientAddress } from '../http/requests/client-address';
import { METRICS_TYPE } from './metrics-text';
import { MetricsService } from './metrics.service';
import { OperatorAccess } from './operator-access';

export const METRICS_PATH = '/metrics';
/** The address of the operator, as it would count. */
export const CLIENT_HEADER = 'Milepost-Client';

const EXAMPLE =
  '# HELP milepost_inbox_hits Hits that wait to be counted.\n# TYPE milepost_inbox_hits gauge\nmilepost_inbox_hits 12\n';

@ApiTags('Health')
@Controller(METRICS_PATH)
export class MetricsController {
  constructor(
    private readonly access: OperatorAccess,
    private readonly metrics: MetricsService,
    private readonly addresses: ClientAddress,
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
    headers: {
      ...REQUEST_ID_HEADER,
      [CLIENT_HEADER]: {
        description: 'The address that the service sees, by TRUST_PROXY.',
        schema: { type: 'string' },
      },
    },
    content: { 'text/plain': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems([400, 401, 404, 406, 429])
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.access.check(request, response);
    expectAccepted(request, METRICS_TYPE);
    response
      .set('Cache-Control', 'no-store')
      .set(CLIENT_HEADER, this.addresses.of(request))
      .type(METRICS_TYPE)
      .send(await this.metrics.text());
  }
}
