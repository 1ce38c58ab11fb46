import { Module } from '@nestjs/common';
import { CountingModule } from '../counting/counting.module';
import { HealthController } from './health.controller';

@Module({ imports: [CountingModule], controllers: [HealthController] })
export class HealthModule {}
