import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { GoalsModule } from '../goals/goals.module';
import { WebsitesModule } from '../websites/websites.module';
import { CollectedNames } from './collected-names';
import { StatsOfHits } from './plain/stats-of-hits';
import { QueriesRepository } from './queries/queries.repository';
import { HitsController } from './hits/hits.controller';
import { HitsService } from './hits/hits.service';
import { LiveController } from './live/live.controller';
import { LiveService } from './live/live.service';
import { NamesController } from './names.controller';
import { ConversionsService } from './queries/conversions/conversions.service';
import { FunnelQueriesService } from './queries/funnel/funnel-queries.service';
import { StoredFunnels } from './queries/funnel/stored-funnels';
import { JourneyQueriesService } from './queries/journey/journey-queries.service';
import { WalkQuestions } from './queries/walk/walk-questions';
import { QueriesController } from './queries/queries.controller';
import { QueriesService } from './queries/queries.service';
import { SharedCalendar } from './shared/shared-calendar';
import { SharedQueries } from './shared/shared-queries.service';
import { SharedStats } from './shared/shared-stats.service';
import { StatsController } from './stats.controller';
import { StatsRepository } from './stats.repository';
import { StatsService } from './stats.service';
import { WebsiteFilters } from './website-filters';
import { HitsModule } from '../hits/hits.module';

@Module({
  imports: [AuthModule, GoalsModule, HitsModule, WebsitesModule],
  controllers: [StatsController, HitsController, LiveController, NamesController, QueriesController],
  providers: [
    CollectedNames,
    ConversionsService,
    FunnelQueriesService,
    JourneyQueriesService,
    StatsOfHits,
    HitsService,
    LiveService,
    QueriesRepository,
    QueriesService,
    SharedCalendar,
    SharedQueries,
    SharedStats,
    StatsRepository,
    StatsService,
    StoredFunnels,
    WalkQuestions,
    WebsiteFilters,
  ],
  exports: [
    CollectedNames,
    ConversionsService,
    FunnelQueriesService,
    JourneyQueriesService,
    LiveService,
    QueriesRepository,
    QueriesService,
    StatsService,
    WebsiteFilters,
  ],
})
export class StatsModule {}
