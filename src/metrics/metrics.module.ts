import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { HealthModule } from '../health/health.module';
import { HitsModule } from '../hits/hits.module';
import { LimitsModule } from '../limits/limits.module';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { OperatorAccess } from './operator-access';

@Module({
  imports: [AuthModule, HealthModule, HitsModule, LimitsModule],
  controllers: [MetricsController],
  providers: [MetricsService, OperatorAccess],
})
export class MetricsModule {}
