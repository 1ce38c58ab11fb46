import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { GoalsModule } from '../goals/goals.module';
import { StatsModule } from '../stats/stats.module';
import { WebsitesModule } from '../websites/websites.module';
import { ConversionReader } from './conversions/conversion-reader';
import { Conversions } from './conversions/conversions';
import { FollowedRepository } from './conversions/followed.repository';
import { DeliveriesController } from './deliveries/deliveries.controller';
import { WebhookDeliveriesRepository } from './deliveries/deliveries.repository';
import { DeliveriesService } from './deliveries/deliveries.service';
import { WebhookDeliveries } from './deliveries/new-deliveries';
import { ClaimsRepository } from './sending/claims.repository';
import { WebhookDeliverer } from './sending/deliverer';
import { LeftoversRepository } from './sending/leftovers.repository';
import { WebhookSending } from './sending/sending';
import { Webhook } from './webhook.entity';
import { WebhookSecrets } from './webhook-secrets';
import { WebhooksController } from './webhooks.controller';
import { WebhooksRepository } from './webhooks.repository';
import { WebhooksService } from './webhooks.service';

@Module({
  imports: [AuthModule, GoalsModule, StatsModule, WebsitesModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    ClaimsRepository,
    ConversionReader,
    Conversions,
    DeliveriesService,
    FollowedRepository,
    LeftoversRepository,
    WebhookDeliverer,
    WebhookDeliveries,
    WebhookDeliveriesRepository,
    WebhookSecrets,
    WebhookSending,
    WebhooksRepository,
    WebhooksService,
  ],
  exports: [DeliveriesService, WebhookDeliveries, WebhooksService],
})
export class WebhooksModule {}
