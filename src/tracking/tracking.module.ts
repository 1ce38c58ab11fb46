import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { IntakeModule } from '../intake/intake.module';
import { EventsController } from './events.controller';
import { EventReceiver } from './event-receiver';
import { TrackerController } from './tracker.controller';

@Module({
  imports: [AuthModule, IntakeModule],
  controllers: [EventsController, TrackerController],
  providers: [EventReceiver],
})
export class TrackingModule {}
