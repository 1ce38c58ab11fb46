import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { StatsModule } from '../stats/stats.module';
import { WebsitesModule } from '../websites/websites.module';
import { AssetsController } from './assets.controller';
import { BuiltPages } from './built-pages';
import { ShareAccess } from './share-access';
import { ShareController } from './share.controller';
import { ShareCookies } from './share-cookies';
import { SharedStatsController } from './shared-stats.controller';
import { ViewersGate } from './viewers-gate';

@Module({
  imports: [AuthModule, StatsModule, WebsitesModule],
  controllers: [AssetsController, ShareController, SharedStatsController],
  providers: [BuiltPages, ShareAccess, ShareCookies, ViewersGate],
})
export class PagesModule {}
