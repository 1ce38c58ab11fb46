import { Module } from '@nestjs/common';
import { BackgroundCounting } from './background-counting';
import { CountingService } from './counting.service';
import { Recount } from './recount';
import { WaitingEvents } from './waiting-events';

@Module({
  providers: [BackgroundCounting, CountingService, Recount, WaitingEvents],
  exports: [BackgroundCounting, CountingService, Recount, WaitingEvents],
})
export class CountingModule {}
