import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { IntakeModule } from '../intake/intake.module';
import { EventsController } from './events.controller';
import { Receiver } from './receiver';
import { TrackerController } from './tracker.controller';

@Module({
  imports: [AuthModule, IntakeModule],
  controllers: [EventsController, TrackerController],
  providers: [Receiver],
})
export class TrackingModule {}
