import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ClientAddress } from '../http/requests/client-address';
import { Admission, BearerStrategy } from './bearer.strategy';
import { ApiKey } from './api-key.entity';
import { ApiKeysRepository } from './api-keys.repository';
import { ApiKeysService } from './api-keys.service';
import { Identification } from './identification';
import { TurnsOfUsers } from './turns-of-users';

@Module({
  imports: [TypeOrmModule.forFeature([ApiKey])],
  providers: [
    Admission,
    ApiKeysRepository,
    ApiKeysService,
    BearerStrategy,
    ClientAddress,
    Identification,
    TurnsOfUsers,
  ],
  exports: [Admission, ApiKeysService, ClientAddress, Identification, TurnsOfUsers],
})
export class AuthModule {}
