import { Module } from '@nestjs/common';
import { Settings } from '../config/settings';
import { Database } from '../../engine/database/database';
import { RetentionClock } from '../../engine/database/retention-clock';
import { BackgroundCounting } from '../../engine/columns/background-counting';
import { CountingService } from '../../engine/columns/counting.service';
import { UnforgottenVisitors } from '../../engine/columns/forget/unforgotten-visitors';
import { WaitingEvents } from '../../engine/columns/fold/waiting-events';

@Module({
  providers: [
    {
      provide: CountingService,
      inject: [Database, Settings, RetentionClock],
      useFactory: (database: Database, settings: Settings, clock: RetentionClock) =>
        new CountingService(database, settings, clock),
    },
    {
      provide: BackgroundCounting,
      inject: [Database, CountingService, Settings],
      useFactory: (database: Database, counting: CountingService, settings: Settings) =>
        new BackgroundCounting(database, counting, settings),
    },
    {
      provide: UnforgottenVisitors,
      inject: [Database, RetentionClock],
      useFactory: (database: Database, clock: RetentionClock) => new UnforgottenVisitors(database, clock),
    },
    {
      provide: WaitingEvents,
      inject: [Database],
      useFactory: (database: Database) => new WaitingEvents(database),
    },
  ],
  exports: [BackgroundCounting, CountingService, UnforgottenVisitors, WaitingEvents],
})
export class CountingModule {}
