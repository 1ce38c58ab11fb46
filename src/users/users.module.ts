import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { WebsitesModule } from '../websites/websites.module';
import { KeysController } from './keys.controller';
import { KeysService } from './keys.service';
import { MeController } from './me.controller';
import { User } from './user.entity';
import { UsersRepository } from './users.repository';
import { UsersService } from './users.service';

@Module({
  imports: [AuthModule, WebsitesModule, TypeOrmModule.forFeature([User])],
  controllers: [MeController, KeysController],
  providers: [KeysService, UsersRepository, UsersService],
  exports: [AuthModule, KeysService, UsersService],
})
export class UsersModule {}
