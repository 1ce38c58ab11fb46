import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { RegisteredWebsitesModule } from './registered-websites.module';
import { StoreRequests } from './store-requests';
import { WebsitesController } from './websites.controller';
import { WebsitesService } from './websites.service';

@Module({
  imports: [AuthModule, RegisteredWebsitesModule],
  controllers: [WebsitesController],
  providers: [StoreRequests, WebsitesService],
  exports: [RegisteredWebsitesModule, WebsitesService],
})
export class WebsitesModule {}
