import { Module } from '@nestjs/common';
import { BackgroundCounting } from './background-counting';
import { CountingService } from './counting.service';
import { Recount } from './recount';

@Module({
  providers: [BackgroundCounting, CountingService, Recount],
  exports: [BackgroundCounting, CountingService, Recount],
})
export class CountingModule {}
