import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from '../config/settings';
import { Database } from '../../engine/database/database';
import { Housekeeping, RETENTION_RULES_TOKEN } from './housekeeping';
import type { RetentionRule } from '../../engine/database/retention-rules';
import { RetentionClock } from '../../engine/database/retention-clock';

@Global()
@Module({})
export class RetentionModule {
  static for(rules: RetentionRule[]): DynamicModule {
    return {
      module: RetentionModule,
      providers: [
        {
          provide: RetentionClock,
          inject: [Database, Settings],
          useFactory: (database: Database, settings: Settings) => new RetentionClock(database, settings),
        },
        Housekeeping,
        { provide: RETENTION_RULES_TOKEN, useValue: rules },
      ],
      exports: [RetentionClock, Housekeeping],
    };
  }
}
