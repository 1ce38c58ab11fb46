import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { WebsitesModule } from '../websites/websites.module';
import { CollectedNames } from './collected-names';
import { StatsOfHits } from './plain/stats-of-hits';
import { QuestionsRepository } from './questions/questions.repository';
import { HitsController } from './hits/hits.controller';
import { HitsService } from './hits/hits.service';
import { LiveController } from './live/live.controller';
import { LiveService } from './live/live.service';
import { NamesController } from './names.controller';
import { QuestionsController } from './questions/questions.controller';
import { QuestionsService } from './questions/questions.service';
import { SharedCalendar } from './shared/shared-calendar';
import { SharedQuestions } from './shared/shared-questions.service';
import { SharedStats } from './shared/shared-stats.service';
import { StatsController } from './stats.controller';
import { StatsRepository } from './stats.repository';
import { StatsService } from './stats.service';
import { QueryThreads } from './threads/query-threads';

@Module({
  imports: [AuthModule, WebsitesModule],
  controllers: [StatsController, HitsController, LiveController, NamesController, QuestionsController],
  providers: [
    CollectedNames,
    StatsOfHits,
    HitsService,
    LiveService,
    QueryThreads,
    QuestionsRepository,
    QuestionsService,
    SharedCalendar,
    SharedQuestions,
    SharedStats,
    StatsRepository,
    StatsService,
  ],
  exports: [CollectedNames, LiveService, QuestionsService, StatsService],
})
export class StatsModule {}
