import { Module } from '@nestjs/common';
import { BackgroundCounting } from './background-counting';
import { CountingService } from './counting.service';
import { Recount } from './recount';
import { UnclosedDays } from './unclosed-days';
import { WaitingEvents } from './waiting-events';

const EXPORTED = [BackgroundCounting, CountingService, Recount, UnclosedDays, WaitingEvents];

@Module({
  providers: EXPORTED,
  exports: EXPORTED,
})
export class CountingModule {}
