import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module';
import { StatsModule } from '../stats/stats.module';
import { UsersModule } from '../users/users.module';
import { WebsitesModule } from '../websites/websites.module';
import { AssetsController } from './assets.controller';
import { BuiltPages } from './built-pages';
import { ConsoleController } from './console.controller';
import { ConsoleGate } from './console-gate';
import { ConsoleSessions } from './console-sessions';
import { EndedSessions } from './ended-sessions';
import { RecentController } from './recent.controller';
import { SessionController } from './session.controller';
import { ShareAccess } from './share-access';
import { ShareController } from './share.controller';
import { ShareCookies } from './share-cookies';
import { SharedStatsController } from './shared-stats.controller';
import { UnknownPageFilter } from './unknown-page.filter';
import { ViewersGate } from './viewers-gate';

@Module({
  imports: [AuthModule, StatsModule, UsersModule, WebsitesModule],
  controllers: [
    AssetsController,
    ConsoleController,
    RecentController,
    SessionController,
    ShareController,
    SharedStatsController,
  ],
  providers: [
    BuiltPages,
    ConsoleGate,
    ConsoleSessions,
    EndedSessions,
    ShareAccess,
    ShareCookies,
    ViewersGate,
    { provide: APP_FILTER, useClass: UnknownPageFilter },
  ],
})
export class PagesModule {}
