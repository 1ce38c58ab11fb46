import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeysModule } from '../auth/api-keys.module';
import { User } from './user.entity';
import { UsersRepository } from './users.repository';
import { UsersService } from './users.service';

/** Users and their keys without HTTP, since commands load them as well. */
@Module({
  imports: [ApiKeysModule, TypeOrmModule.forFeature([User])],
  providers: [UsersRepository, UsersService],
  exports: [ApiKeysModule, UsersService],
})
export class AccountsModule {}
