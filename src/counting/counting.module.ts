import { Module } from '@nestjs/common';
import { CountingService } from './counting.service';
import { Housekeeping } from './housekeeping';

@Module({
  providers: [CountingService, Housekeeping],
  exports: [CountingService, Housekeeping],
})
export class CountingModule {}
