import { Module } from '@nestjs/common';
import { WebsitesModule } from '../websites/websites.module';
import { CountingService } from './counting.service';
import { Housekeeping } from './housekeeping';
import { Recount } from './recount';

@Module({
  imports: [WebsitesModule],
  providers: [CountingService, Housekeeping, Recount],
  exports: [CountingService, Housekeeping, Recount],
})
export class CountingModule {}
