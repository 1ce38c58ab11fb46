import { Controller, Get } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  ApiSchema,
} from '@nestjs/swagger';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { Readiness } from './readiness';

@ApiSchema({ description: 'That the service answers.' })
class HealthView {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status!: 'ok';
}

@ApiSchema({ description: 'What the operator should know.' })
class ReadinessWarningView {
  @ApiProperty({ example: 'counting_fails' })
  code!: string;

  @ApiPropertyOptional({ type: 'integer', example: 7 })
  website_id?: number;

  @ApiProperty({
    example: 'New events cannot be counted since 2026-01-31T12:00:00.000Z: ER_LOCK_WAIT_TIMEOUT',
  })
  detail!: string;
}

@ApiSchema({ description: 'Whether the service can work.' })
class ReadinessView extends HealthView {
  @ApiProperty({
    type: [ReadinessWarningView],
    maxItems: 84,
    required: false,
    description:
      'Problems for an operator, if any: websites whose counting fails at the moment, events that have ' +
      'waited for more than 10 seconds to be counted, websites whose events are refused because they arrive faster than ' +
      'they can be counted, data that cannot be removed in time, hashes ' +
      'of visitors an hour after they should have been forgotten, a warehouse with the hits of old days that does not ' +
      'answer, and a clock of this process that differs from that ' +
      'of the database.',
  })
  warnings?: ReadinessWarningView[];
}

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @ApiOperation({
    operationId: 'getLiveness',
    summary: 'Check that the service runs',
    description: 'Answers as long as the process runs.',
  })
  @ApiOkResponse({ type: HealthView, description: 'It runs.' })
  @ApiProblems([400])
  live(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Check that the service can work',
    description:
      'Answers 200 while the database answers, its tables are up to date and events can be stored. After an event ' +
      'could not be stored, the service checks by itself whether storing works again.',
  })
  @ApiOkResponse({ type: ReadinessView, description: 'It can work.' })
  @ApiProblems([400, 503])
  async ready(): Promise<ReadinessView> {
    const warnings = await this.readiness.warnings();
    return { status: 'ok', ...(warnings.length > 0 && { warnings }) };
  }
}
