import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { WebsitesModule } from '../websites/websites.module';
import { ClosedSums } from './closed-sums';
import { StatsController } from './stats.controller';
import { StatsRepository } from './stats.repository';
import { StatsService } from './stats.service';

@Module({
  imports: [AuthModule, WebsitesModule],
  controllers: [StatsController],
  providers: [ClosedSums, StatsRepository, StatsService],
})
export class StatsModule {}
