import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../common/openapi';
import { Database } from '../database/database';
import { DatabaseUnavailable } from '../database/errors';
import { isMigrated } from '../database/migrate';

class HealthView {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status!: 'ok';
}

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly database: Database) {}

  @Get('live')
  @ApiOperation({ summary: 'Tell that the service runs' })
  @ApiOkResponse({ type: HealthView, description: 'It runs.' })
  live(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Tell whether the service can work: the database answers and its tables are up to date',
  })
  @ApiOkResponse({ type: HealthView, description: 'It can work.' })
  @ApiProblems([503])
  async ready(): Promise<HealthView> {
    if (!(await isMigrated(this.database))) throw new DatabaseUnavailable();
    return { status: 'ok' };
  }
}
