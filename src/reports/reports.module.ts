import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { MailModule } from '../mail/mail.module';
import { RecipientsModule } from '../recipients/recipients.module';
import { StatsModule } from '../stats/stats.module';
import { UsersModule } from '../users/users.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { WebsitesModule } from '../websites/websites.module';
import { Deliverer } from './deliverer';
import { DeliveriesRepository } from './deliveries.repository';
import { ReportMailDeliverer } from './mails/report-mail-deliverer';
import { ReportMailsRepository } from './mails/report-mails.repository';
import { ReportRecipientPagesController } from './recipients/report-recipient-pages.controller';
import { ReportRecipientsController } from './recipients/report-recipients.controller';
import { ReportRecipientsRepository } from './recipients/report-recipients.repository';
import { ReportRecipientsService } from './recipients/report-recipients.service';
import { ReportNowService } from './report-now.service';
import { PlannedReports } from './planned-reports';
import { ReportController } from './report.controller';
import { ReportsService } from './reports.service';
import { ReportStatusController } from './status/report-status.controller';
import { UnsubscribeController } from './unsubscribe.controller';
import { UnsubscribeLinks } from './unsubscribe-links';

@Module({
  imports: [
    AuthModule,
    MailModule,
    RecipientsModule,
    StatsModule,
    UsersModule,
    WebhooksModule,
    WebsitesModule,
  ],
  controllers: [
    ReportController,
    ReportRecipientPagesController,
    ReportRecipientsController,
    ReportStatusController,
    UnsubscribeController,
  ],
  providers: [
    Deliverer,
    DeliveriesRepository,
    PlannedReports,
    ReportMailDeliverer,
    ReportMailsRepository,
    ReportNowService,
    ReportRecipientsRepository,
    ReportRecipientsService,
    ReportsService,
    UnsubscribeLinks,
  ],
  exports: [ReportNowService, ReportRecipientsService],
})
export class ReportsModule {}
