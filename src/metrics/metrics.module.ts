import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { HealthModule } from '../health/health.module';
import { HitsModule } from '../hits/hits.module';
import { LimitsModule } from '../limits/limits.module';
import { StatsModule } from '../stats/stats.module';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { OperatorAccess } from './operator-access';
import { WebsiteMetricsController } from './website-metrics.controller';
import { WebsiteMetricsRepository } from './website-metrics.repository';
import { WebsiteMetricsService } from './website-metrics.service';

@Module({
  imports: [AuthModule, HealthModule, HitsModule, LimitsModule, StatsModule],
  controllers: [MetricsController, WebsiteMetricsController],
  providers: [MetricsService, OperatorAccess, WebsiteMetricsRepository, WebsiteMetricsService],
})
export class MetricsModule {}
