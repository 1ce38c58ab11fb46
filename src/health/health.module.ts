import { Module } from '@nestjs/common';
import { HitsModule } from '../hits/hits.module';
import { IntakeModule } from '../intake/intake.module';
import { HealthController } from './health.controller';

@Module({ imports: [HitsModule, IntakeModule], controllers: [HealthController] })
export class HealthModule {}
