import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings';
import type { DatabaseAddress } from '../../engine/database/connections/address';
import { connect } from './connect';
import type { Entities } from './data-source-options';
import { Database } from '../../engine/database/database';
import { Jobs } from '../../engine/database/jobs';
import { EntityDatabase } from './entity-database';
import { migrate } from './migrate';
import { ReadMemory } from '../../engine/ground/memory/read-memory';
import { Secret } from './secret';

@Global()
@Module({})
export class DatabaseModule {
  static at(address: DatabaseAddress, entities: Entities): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ toRetry: () => false }),
          dataSourceFactory: () => connect(address, entities),
        }),
      ],
      providers: [
        { provide: EntityDatabase, inject: [DataSource], useFactory: openAndMigrate },
        { provide: Database, useExisting: EntityDatabase },
        {
          provide: Jobs,
          inject: [EntityDatabase],
          useFactory: (database: EntityDatabase) => new Jobs(database),
        },
        ReadMemory,
        {
          provide: Secret,
          inject: [EntityDatabase, Settings],
          useFactory: readCheckedSecret,
        },
      ],
      exports: [Database, EntityDatabase, Jobs, ReadMemory, Secret],
    };
  }
}

async function openAndMigrate(source: DataSource): Promise<EntityDatabase> {
  const database = await EntityDatabase.over(source);
  await closeOnFailure(database, migrate(database));
  return database;
}

function readCheckedSecret(database: EntityDatabase, { secretFile }: Settings): Promise<Secret> {
  return closeOnFailure(database, Secret.check(secretFile, database));
}

/** Open connections would prevent a command from ending. */
async function closeOnFailure<T>(database: EntityDatabase, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await database.writer.destroy();
    throw error;
  }
}
