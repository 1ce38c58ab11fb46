import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { Settings } from '../config/settings';
import { CountingModule } from '../counting/counting.module';
import { WebsitesModule } from '../websites/websites.module';
import { ClientAddress } from './client-address';
import { DemoService } from './demo.service';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';
import { Geography } from './geography';
import { Inbox } from './inbox';
import { InboxRepository } from './inbox.repository';
import { Judge } from './judge';
import { Receiver } from './receiver';
import { Salts } from './salts';
import { TrackedWebsites } from './tracked-websites';
import { TrackerController } from './tracker.controller';

@Module({
  imports: [AuthModule, CountingModule, WebsitesModule],
  controllers: [EventsController, TrackerController],
  providers: [
    ClientAddress,
    DemoService,
    EventsService,
    Inbox,
    InboxRepository,
    Judge,
    Receiver,
    Salts,
    TrackedWebsites,
    {
      provide: Geography,
      inject: [Settings],
      useFactory: ({ geoDb }: Settings) => Geography.open(geoDb),
    },
  ],
})
export class TrackingModule {}
