import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { GoalsModule } from '../goals/goals.module';
import { StatsModule } from '../stats/stats.module';
import { WebsitesModule } from '../websites/websites.module';
import { BackgroundConversions } from './conversions/background-conversions';
import { ConversionReader } from './conversions/conversion-reader';
import { FollowedRepository } from './conversions/followed.repository';
import { DeliveriesController } from './deliveries/deliveries.controller';
import { WebhookDeliveriesRepository } from './deliveries/deliveries.repository';
import { DeliveriesService } from './deliveries/deliveries.service';
import { WebhookDeliveries } from './deliveries/new-deliveries';
import { BackgroundSending } from './sending/background-sending';
import { ClaimsRepository } from './sending/claims.repository';
import { WebhookDeliverer } from './sending/deliverer';
import { LeftoversRepository } from './sending/leftovers.repository';
import { Webhook } from './webhook.entity';
import { WebhookSecrets } from './webhook-secrets';
import { WebhooksController } from './webhooks.controller';
import { WebhooksRepository } from './webhooks.repository';
import { WebhooksService } from './webhooks.service';

@Module({
  imports: [AuthModule, GoalsModule, StatsModule, WebsitesModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    BackgroundConversions,
    BackgroundSending,
    ClaimsRepository,
    ConversionReader,
    DeliveriesService,
    FollowedRepository,
    LeftoversRepository,
    WebhookDeliverer,
    WebhookDeliveries,
    WebhookDeliveriesRepository,
    WebhookSecrets,
    WebhooksRepository,
    WebhooksService,
  ],
  exports: [DeliveriesService, WebhookDeliveries, WebhooksService],
})
export class WebhooksModule {}
