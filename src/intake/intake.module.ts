import { Module } from '@nestjs/common';
import { SettingError } from '../../engine/ground/setting-error';
import { Settings } from '../config/settings';
import { HitsModule } from '../hits/hits.module';
import { Geography } from '../derive/geography/geography';
import { WebsitesModule } from '../websites/websites.module';
import { DroppedEvents } from './inbox/dropped-events';
import { EventRules } from './events/website-rules';
import { Arrivals } from './events/arrivals';
import { EventBatchesService } from './event-batches.service';
import { EventsService } from './events.service';
import { Inbox } from './inbox/inbox';
import { InboxHealth } from './inbox/inbox-health';
import { OwnVisits } from './inbox/own-visits';
import { Salts } from './salts';
import { TrackedWebsites } from './tracked-websites';

@Module({
  imports: [HitsModule, WebsitesModule],
  providers: [
    Arrivals,
    DroppedEvents,
    EventBatchesService,
    EventRules,
    EventsService,
    Inbox,
    InboxHealth,
    OwnVisits,
    Salts,
    TrackedWebsites,
    {
      provide: Geography,
      inject: [Settings],
      useFactory: geographyOf,
    },
  ],
  exports: [EventBatchesService, EventsService, Inbox, InboxHealth, OwnVisits],
})
export class IntakeModule {}

function geographyOf({ geoDb }: Settings): Geography {
  try {
    return Geography.open(geoDb);
  } catch (error) {
    if (!geoDb) throw error;
    throw new SettingError('GEO_DB', `${geoDb} is not a database in MaxMind's format`);
  }
}
