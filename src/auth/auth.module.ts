import { Module } from '@nestjs/common';
import { ClientAddress } from '../http/client-address';
import { Admission } from './admission';
import { ApiKeysModule } from './api-keys.module';
import { BearerStrategy } from './bearer.strategy';

@Module({
  imports: [ApiKeysModule],
  providers: [Admission, BearerStrategy, ClientAddress],
  exports: [Admission, ApiKeysModule, ClientAddress],
})
export class AuthModule {}
