import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { DatabaseAddress } from '../config/settings';
import { connect } from './connect';
import { Database } from './database';
import { migrate } from './migrate';

@Global()
@Module({})
export class DatabaseModule {
  static at(address: DatabaseAddress): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ autoLoadEntities: true, toRetry: () => false }),
          dataSourceFactory: (options) => connect(address, options?.entities ?? []),
        }),
      ],
      providers: [{ provide: Database, inject: [DataSource], useFactory: openedAndMigrated }],
      exports: [Database],
    };
  }
}

async function openedAndMigrated(source: DataSource): Promise<Database> {
  const database = await Database.over(source);
  await migrate(database);
  return database;
}
