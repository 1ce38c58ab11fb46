import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Website } from './website.entity';
import { WebsitesRepository } from './websites.repository';

/** Looking websites up, without HTTP, since commands load it as well. */
@Module({
  imports: [TypeOrmModule.forFeature([Website])],
  providers: [WebsitesRepository],
  exports: [WebsitesRepository],
})
export class RegisteredWebsitesModule {}
