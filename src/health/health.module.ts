import { Module } from '@nestjs/common';
import { CountingModule } from '../counting/counting.module';
import { IntakeModule } from '../intake/intake.module';
import { HealthController } from './health.controller';

@Module({ imports: [CountingModule, IntakeModule], controllers: [HealthController] })
export class HealthModule {}
