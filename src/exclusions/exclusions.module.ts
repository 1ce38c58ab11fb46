import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { WebsitesModule } from '../websites/websites.module';
import { Exclusion } from './exclusion.entity';
import { ExclusionsController } from './exclusions.controller';
import { ExclusionsRepository } from './exclusions.repository';
import { ExclusionsService } from './exclusions.service';

@Module({
  imports: [AuthModule, WebsitesModule, TypeOrmModule.forFeature([Exclusion])],
  controllers: [ExclusionsController],
  providers: [ExclusionsRepository, ExclusionsService],
  exports: [ExclusionsService],
})
export class ExclusionsModule {}
