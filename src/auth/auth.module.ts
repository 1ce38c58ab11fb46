import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ClientAddress } from '../http/requests/client-address';
import { Routes } from '../http/requests/routes';
import { Admission } from './admission';
import { ApiKey } from './api-key.entity';
import { ApiKeysRepository } from './api-keys.repository';
import { ApiKeysService } from './api-keys.service';
import { BearerStrategy } from './bearer.strategy';
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
    Routes,
    TurnsOfUsers,
  ],
  exports: [Admission, ApiKeysService, ClientAddress, Identification, Routes, TurnsOfUsers],
})
export class AuthModule {}
