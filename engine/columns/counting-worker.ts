import { parentPort, workerData } from 'node:worker_threads';
import { logBy } from '../ground/log';
import { measuredHere } from '../ground/measures';
import { setCacheBudget } from '../ground/memory/memory-limits';
import { logToMainThread, STOP } from '../ground/threads/worker-thread';
import type { MysqlAddress } from '../database/connections/address';
import { databaseOfThread } from '../database/connections/thread-database';
import { RetentionClock } from '../database/retention-clock';
import type { HitSettings } from '../database/hit-settings';
import { CountingService } from './counting.service';

const TELLS_EVERY_MS = 1000;

/**
 * The entry point of the counting thread, with connections of its own. It has no container and no entities: in each
 * thread, they would take 9 MB, which are marked in every full collection.
 */
async function start(): Promise<void> {
  const port = parentPort!;
  logBy(logToMainThread(port));
  const settings = workerData as HitSettings;
  setCacheBudget(settings.cacheMb);
  const { database, close } = await databaseOfThread(settings.database as MysqlAddress);
  const counting = new CountingService(database, settings, new RetentionClock(database, settings));
  const stop = async () => {
    await counting.stop();
    close();
    process.exit(0);
  };
  port.on('message', (message) => (message === STOP ? void stop() : counting.nudge()));
  const tell = () => port.postMessage({ warnings: counting.warnings(), measured: measuredHere() });
  setInterval(tell, TELLS_EVERY_MS);
  counting.start();
}

void start();
