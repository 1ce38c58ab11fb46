import { existsSync } from 'node:fs';
import { type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setCacheBudget } from '../engine/ground/memory/memory-limits';
import { logByNest, StructuredLogger } from './common/logger';
import { ConfigModule } from './config/config.module';
import { SettingError } from '../engine/ground/setting-error';
import { Settings } from './config/settings';
import type { DatabaseAddress } from '../engine/database/connections/address';
import { DatabaseModule } from './database/database.module';
import { ENTITIES } from './entities';

@Module({})
class CommandModule {}

/** Opens the database and these modules, without HTTP, while a command runs. */
export async function withServices<T>(
  environment: NodeJS.ProcessEnv,
  modules: NonNullable<ModuleMetadata['imports']>,
  mayCreateDatabase: boolean,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const settings = new Settings(environment);
  if (!mayCreateDatabase) refuseMissing(settings.database);
  setCacheBudget(settings.cacheMb);
  logByNest();
  const imports = [ConfigModule.for(settings), DatabaseModule.at(settings.database, ENTITIES), ...modules];
  const services = await NestFactory.createApplicationContext(
    { module: CommandModule, imports },
    { logger: new StructuredLogger(settings.logLevel, 'stderr'), abortOnError: false },
  );
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

export function refuseMissing(database: DatabaseAddress): void {
  if (database.kind !== 'sqlite' || existsSync(database.path)) return;
  throw new SettingError(
    'DATABASE_URL',
    `${database.path} does not exist; the service creates it when it starts, and so does the command "migrate"`,
  );
}
