import { setImmediate } from 'node:timers/promises';
import { Controller, Get, Logger } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  ApiSchema,
} from '@nestjs/swagger';
import { Database } from '../../engine/database/database';
import { TablesDoNotFit } from '../../engine/database/errors';
import { findMissingInTables } from '../database/schema';
import { ApiProblems } from '../http/openapi/openapi-problems';
import { InboxHealth } from '../intake/inbox/inbox-health';
import { Housekeeping } from '../retention/housekeeping';
import { CLOCKS_DIFFER_MS } from '../../engine/ground/time/clock-from';
import { HitStore } from '../../engine/port';

@ApiSchema({ description: 'That the service answers.' })
class HealthView {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status!: 'ok';
}

@ApiSchema({ description: 'What the operator should know.' })
class ReadinessWarningView {
  @ApiProperty({ example: 'counting_fails' })
  code!: string;

  @ApiPropertyOptional({ example: 7 })
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
    maxItems: 83,
    required: false,
    description:
      'Problems for an operator, if any: websites whose counting fails at the moment, events that have ' +
      'waited for more than 10 seconds to be counted, websites whose events are refused because they arrive faster than ' +
      'they can be counted, data that cannot be removed in time, hashes ' +
      'of visitors an hour after they should have been forgotten, and a clock of this process that differs from that ' +
      'of the database.',
  })
  warnings?: ReadinessWarningView[];
}

@ApiTags('Health')
@Controller('health')
export class HealthController {
  private readonly logger = new Logger('Health');
  private looking: Promise<ReadinessView> | undefined;
  private missing: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly store: HitStore,
    private readonly inbox: InboxHealth,
    private readonly housekeeping: Housekeeping,
  ) {}

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
  ready(): Promise<ReadinessView> {
    // Concurrent callers share one answer, because anybody may call this as often as they like.
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async look(): Promise<ReadinessView> {
    // On SQLite, the rest ends within one turn of the event loop.
    await setImmediate();
    this.inbox.check();
    await this.checkTables();
    const warnings = [
      ...(await this.housekeeping.warnings()),
      ...(await this.store.warnings()),
      ...(await this.clockWarnings()),
    ];
    return { status: 'ok', ...(warnings.length > 0 && { warnings }) };
  }

  private async checkTables(): Promise<void> {
    const { dialect } = this.database;
    const missing = await this.database.readQuick((manager) => findMissingInTables(manager, dialect));
    if (missing !== undefined && missing !== this.missing)
      this.logger.error(`the tables of the database do not match this release: ${missing}`);
    this.missing = missing;
    if (missing !== undefined) throw new TablesDoNotFit();
  }

  /** The day of an event depends on the clock of the process that accepts it. */
  private async clockWarnings(): Promise<ReadinessWarningView[]> {
    const ahead = Date.now() - (await this.database.now());
    if (Math.abs(ahead) < CLOCKS_DIFFER_MS) return [];
    const seconds = Math.round(Math.abs(ahead) / 1000).toLocaleString('en');
    const detail = `The clock of this process is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's.`;
    return [{ code: 'clocks_differ', detail }];
  }
}
