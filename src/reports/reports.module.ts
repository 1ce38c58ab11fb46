import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module';
import { StatsModule } from '../stats/stats.module';
import { UsersModule } from '../users/users.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { WebsitesModule } from '../websites/websites.module';
import { BackgroundReports } from './background-reports';
import { Deliverer } from './deliverer';
import { DeliveriesRepository } from './deliveries.repository';
import { ReportsService } from './reports.service';
import { ReportStatusController } from './status/report-status.controller';
import { UnsubscribeController } from './unsubscribe.controller';
import { UnsubscribeLinks } from './unsubscribe-links';

@Module({
  imports: [MailModule, StatsModule, UsersModule, WebhooksModule, WebsitesModule],
  controllers: [ReportStatusController, UnsubscribeController],
  providers: [BackgroundReports, Deliverer, DeliveriesRepository, ReportsService, UnsubscribeLinks],
})
export class ReportsModule {}
