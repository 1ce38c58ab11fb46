import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { MailModule } from '../mail/mail.module';
import { RecipientsModule } from '../recipients/recipients.module';
import { StatsModule } from '../stats/stats.module';
import { UsersModule } from '../users/users.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { WebsitesModule } from '../websites/websites.module';
import { Alert } from './alert/alert.entity';
import { AlertsController } from './alert/alerts.controller';
import { AlertsRepository } from './alert/alerts.repository';
import { AlertsService } from './alert/alerts.service';
import { AlertCounts } from './check/alert-counts';
import { AlertChecks } from './check/alert-checks';
import { Checker } from './check/checker';
import { DueAlertsRepository } from './check/due-alerts.repository';
import { FiringsController } from './firings/firings.controller';
import { FiringsRepository } from './firings/firings.repository';
import { FiringsService } from './firings/firings.service';
import { NewFirings } from './firings/new-firings';
import { AlertMailDeliverer } from './mails/alert-mail-deliverer';
import { AlertMailsRepository } from './mails/alert-mails.repository';
import { AlertRecipientPagesController } from './recipients/alert-recipient-pages.controller';
import { AlertRecipientsRepository } from './recipients/alert-recipients.repository';

@Module({
  imports: [
    AuthModule,
    MailModule,
    RecipientsModule,
    StatsModule,
    UsersModule,
    WebhooksModule,
    WebsitesModule,
    TypeOrmModule.forFeature([Alert]),
  ],
  controllers: [AlertsController, FiringsController, AlertRecipientPagesController],
  providers: [
    AlertChecks,
    AlertCounts,
    AlertMailDeliverer,
    AlertMailsRepository,
    AlertRecipientsRepository,
    AlertsRepository,
    AlertsService,
    Checker,
    DueAlertsRepository,
    FiringsRepository,
    FiringsService,
    NewFirings,
  ],
  exports: [AlertsService, FiringsService],
})
export class AlertsModule {}
