import { Module } from '@nestjs/common';
import { BackgroundCounting } from './background-counting';
import { CountingService } from './counting.service';
import { Verification } from './verification';
import { UnforgottenVisitors } from './forget/unforgotten-visitors';
import { WaitingEvents } from './fold/waiting-events';

const EXPORTED = [BackgroundCounting, CountingService, UnforgottenVisitors, Verification, WaitingEvents];

@Module({
  providers: EXPORTED,
  exports: EXPORTED,
})
export class CountingModule {}
