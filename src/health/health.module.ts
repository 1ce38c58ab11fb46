import { Module } from '@nestjs/common';
import { HitsModule } from '../hits/hits.module';
import { IntakeModule } from '../intake/intake.module';
import { HealthController } from './health.controller';
import { Readiness } from './readiness';

@Module({
  imports: [HitsModule, IntakeModule],
  controllers: [HealthController],
  providers: [Readiness],
  exports: [Readiness],
})
export class HealthModule {}
