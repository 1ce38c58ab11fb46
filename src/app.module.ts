import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { FieldsPipe } from './common/fields';
import { ProblemFilter } from './common/problem.filter';
import { ConfigModule } from './config/config.module';
import type { Settings } from './config/settings';
import { DatabaseModule } from './database/database.module';
import { CountingModule } from './counting/counting.module';
import { HealthModule } from './health/health.module';
import { StatsModule } from './stats/stats.module';
import { TrackingModule } from './tracking/tracking.module';
import { UsersModule } from './users/users.module';
import { WebsitesModule } from './websites/websites.module';

@Module({})
export class AppModule {
  /** Tracking keeps the map of the world in memory, which few commands need. */
  static for(settings: Settings, parts: 'all' | 'without tracking' = 'all'): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.for(settings),
        DatabaseModule.at(settings.database),
        UsersModule,
        WebsitesModule,
        StatsModule,
        ...(parts === 'all' ? [TrackingModule] : [CountingModule]),
        HealthModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: FieldsPipe },
      ],
    };
  }
}
