import { type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setCacheBudget } from './common/byte-budget';
import { StructuredLogger } from './common/logger';
import { ConfigModule } from './config/config.module';
import { Settings } from './config/settings';
import { DatabaseModule } from './database/database.module';

@Module({})
class CommandModule {}

/** Opens the database and these modules, without HTTP, for the time of one command. */
export async function withServices<T>(
  environment: NodeJS.ProcessEnv,
  modules: NonNullable<ModuleMetadata['imports']>,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const settings = new Settings(environment);
  setCacheBudget(settings.cacheMb);
  const imports = [ConfigModule.for(settings), DatabaseModule.at(settings.database), ...modules];
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
