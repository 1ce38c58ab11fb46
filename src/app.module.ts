import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AlertsModule } from './alerts/alerts.module';
import { AnnotationsModule } from './annotations/annotations.module';
import { TurnsOfUsers } from './auth/turns-of-users';
import { setCacheBudget } from '../engine/ground/memory/memory-limits';
import { ConfigModule } from './config/config.module';
import type { Settings } from './config/settings';
import { DatabaseModule } from './database/database.module';
import { RETENTION_RULES } from './retention-rules';
import { ENTITIES } from './entities';
import { DemoModule } from './demo/demo.module';
import { ExclusionsModule } from './exclusions/exclusions.module';
import { GoalsModule } from './goals/goals.module';
import { HealthModule } from './health/health.module';
import { ProblemFilter } from './http/answers/problem.filter';
import { LimitsModule } from './limits/limits.module';
import { MetricsModule } from './metrics/metrics.module';
import { PagesModule } from './pages/pages.module';
import { RetentionModule } from './retention/retention.module';
import { ReportsModule } from './reports/reports.module';
import { StatsModule } from './stats/stats.module';
import { TrackingModule } from './tracking/tracking.module';
import { UsersModule } from './users/users.module';
import { FieldsPipe } from './validation/fields.pipe';
import { WebhooksModule } from './webhooks/webhooks.module';
import { WebsitesModule } from './websites/websites.module';

@Module({})
export class AppModule {
  static for(settings: Settings, more: Type[] = []): DynamicModule {
    setCacheBudget(settings.cacheMb);
    return {
      module: AppModule,
      imports: [
        ConfigModule.for(settings),
        DatabaseModule.at(settings.database, ENTITIES),
        RetentionModule.for(RETENTION_RULES),
        LimitsModule,
        UsersModule,
        WebsitesModule,
        AnnotationsModule,
        ExclusionsModule,
        GoalsModule,
        StatsModule,
        TrackingModule,
        WebhooksModule,
        ReportsModule,
        AlertsModule,
        PagesModule,
        DemoModule,
        ...more,
        HealthModule,
        MetricsModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_INTERCEPTOR, useExisting: TurnsOfUsers },
        { provide: APP_PIPE, useClass: FieldsPipe },
      ],
    };
  }
}
