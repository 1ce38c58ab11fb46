import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { WebsitesModule } from '../websites/websites.module';
import { AccountsModule } from './accounts.module';
import { KeysController } from './keys.controller';
import { KeysService } from './keys.service';
import { MeController } from './me.controller';

@Module({
  imports: [AccountsModule, AuthModule, WebsitesModule],
  controllers: [MeController, KeysController],
  providers: [KeysService],
  exports: [AccountsModule, AuthModule, KeysService],
})
export class UsersModule {}
