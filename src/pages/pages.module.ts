import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AnnotationsModule } from '../annotations/annotations.module';
import { AuthModule } from '../auth/auth.module';
import { IntakeModule } from '../intake/intake.module';
import { StatsModule } from '../stats/stats.module';
import { UsersModule } from '../users/users.module';
import { WebsitesModule } from '../websites/websites.module';
import { AssetsController } from './assets.controller';
import { BuiltPages } from './built-pages';
import { ConsoleController } from './console/console.controller';
import { ConsoleGate } from './console/console-gate';
import { ConsoleSessions, EndedSessions } from './console/console-sessions';
import { DomainController } from './console/domain.controller';
import { DroppedController } from './console/dropped.controller';
import { FirstVisitController } from './console/first-visit.controller';
import { RecentController } from './console/recent.controller';
import { SessionController } from './console/session.controller';
import { GuideController } from './guide/guide.controller';
import { ShareAccess } from './share/share-access';
import { ShareController } from './share/share.controller';
import { ShareCookies } from './share/share-cookies';
import { SharedCallers } from './share/shared-callers';
import { SharedAnnotations } from './share/shared-annotations';
import { SharedQuestionsController } from './share/shared-questions.controller';
import { SharedStatsController } from './share/shared-stats.controller';
import { OpenedPageFilter } from './page-problem.filter';
import { ViewersGate } from './share/viewers-gate';

@Module({
  imports: [AnnotationsModule, AuthModule, IntakeModule, StatsModule, UsersModule, WebsitesModule],
  controllers: [
    AssetsController,
    ConsoleController,
    DomainController,
    DroppedController,
    FirstVisitController,
    GuideController,
    RecentController,
    SessionController,
    ShareController,
    SharedStatsController,
    SharedQuestionsController,
  ],
  providers: [
    BuiltPages,
    ConsoleGate,
    ConsoleSessions,
    EndedSessions,
    ShareAccess,
    ShareCookies,
    SharedCallers,
    SharedAnnotations,
    ViewersGate,
    { provide: APP_FILTER, useClass: OpenedPageFilter },
  ],
})
export class PagesModule {}
