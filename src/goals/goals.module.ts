import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { WebsitesModule } from '../websites/websites.module';
import { Definitions } from './definitions';
import { Funnel } from './funnels/funnel.entity';
import { FunnelsController } from './funnels/funnels.controller';
import { FunnelsRepository } from './funnels/funnels.repository';
import { FunnelsService } from './funnels/funnels.service';
import { Goal } from './goals/goal.entity';
import { GoalsController } from './goals/goals.controller';
import { GoalsRepository } from './goals/goals.repository';
import { GoalsService } from './goals/goals.service';
import { PageFilters } from './page-filters';
import { SavedFilter } from './saved-filters/saved-filter.entity';
import { SavedFiltersController } from './saved-filters/saved-filters.controller';
import { SavedFiltersRepository } from './saved-filters/saved-filters.repository';
import { SavedFiltersService } from './saved-filters/saved-filters.service';

@Module({
  imports: [AuthModule, WebsitesModule, TypeOrmModule.forFeature([Goal, SavedFilter, Funnel])],
  controllers: [FunnelsController, GoalsController, SavedFiltersController],
  providers: [
    Definitions,
    FunnelsRepository,
    FunnelsService,
    GoalsRepository,
    GoalsService,
    PageFilters,
    SavedFiltersRepository,
    SavedFiltersService,
  ],
  exports: [Definitions, FunnelsService, GoalsService, SavedFiltersService],
})
export class GoalsModule {}
