import { Module } from '@nestjs/common';
import { BackgroundCounting } from './background-counting';
import { CountingService } from './counting.service';
import { UnforgottenVisitors } from './forget/unforgotten-visitors';
import { WaitingEvents } from './fold/waiting-events';
import { Rebuilding } from './verify/rebuilding';
import { Verification } from './verify/verification';

const EXPORTED = [
  BackgroundCounting,
  CountingService,
  Rebuilding,
  UnforgottenVisitors,
  Verification,
  WaitingEvents,
];

@Module({
  providers: EXPORTED,
  exports: EXPORTED,
})
export class CountingModule {}
