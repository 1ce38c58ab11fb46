import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { StoreRequests } from './store-requests';
import { Website } from './website.entity';
import { WebsitesController } from './websites.controller';
import { WebsitesRepository } from './websites.repository';
import { WebsitesService } from './websites.service';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([Website])],
  controllers: [WebsitesController],
  providers: [StoreRequests, WebsitesRepository, WebsitesService],
  exports: [StoreRequests, WebsitesRepository, WebsitesService],
})
export class WebsitesModule {}
