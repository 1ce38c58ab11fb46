import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Housekeeping, RETENTION_RULES_TOKEN } from './housekeeping';
import type { RetentionRule } from './rules';
import { RetentionClock } from './retention-clock';

@Global()
@Module({})
export class RetentionModule {
  static for(rules: RetentionRule[]): DynamicModule {
    return {
      module: RetentionModule,
      providers: [RetentionClock, Housekeeping, { provide: RETENTION_RULES_TOKEN, useValue: rules }],
      exports: [RetentionClock, Housekeeping],
    };
  }
}
