import { parentPort } from 'node:worker_threads';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setCacheBudget } from '../common/memory/pools';
import { forwardingLogger, STOP } from '../common/threads/worker-thread';
import { ConfigModule } from '../config/config.module';
import { Settings } from '../config/settings';
import { DatabaseModule } from '../database/database.module';
import { RetentionModule } from '../retention/retention.module';
import { CountingModule } from './counting.module';
import { CountingService } from './counting.service';

const WARNINGS_EVERY_MS = 1000;

/** The modules that counting needs, with connections of their own. */
@Module({})
class CountingWorkerModule {
  static for(settings: Settings): DynamicModule {
    return {
      module: CountingWorkerModule,
      imports: [
        ConfigModule.for(settings),
        DatabaseModule.at(settings.database),
        RetentionModule.clock(),
        CountingModule,
      ],
    };
  }
}

/** The entry point of the counting thread. */
async function start(): Promise<void> {
  const port = parentPort!;
  const settings = new Settings(process.env);
  setCacheBudget(settings.cacheMb);
  const context = await NestFactory.createApplicationContext(CountingWorkerModule.for(settings), {
    logger: forwardingLogger(port),
    abortOnError: false,
  });
  const counting = context.get(CountingService);
  port.on('message', (message) => (message === STOP ? void stop(context) : counting.nudge()));
  setInterval(() => port.postMessage({ warnings: counting.warnings() }), WARNINGS_EVERY_MS);
  counting.start();
}

async function stop(context: INestApplicationContext): Promise<void> {
  await context.close();
  process.exit(0);
}

void start();
