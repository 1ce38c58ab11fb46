import { parentPort, workerData } from 'node:worker_threads';
import { setCacheBudget } from '../../common/byte-budget';
import { DayClock } from '../../common/day-clock';
import { lowerPriority } from '../../common/lower-priority';
import { Problem } from '../../common/problem';
import { partsOf } from '../../common/thread-problem';
import { databaseOfThread } from '../../database/thread-database';
import type { LiveAnswer, LiveThreadData } from './live-thread';
import { LiveWebsites } from './live-websites';

const { address, timezone, cacheMb, patienceMs } = workerData as LiveThreadData;
const port = parentPort!;

setCacheBudget(cacheMb);
lowerPriority();
let websites: Promise<LiveWebsites> | undefined;

/** The entry point of the thread for live visitors; `LiveThread` is its other side. */
port.on('message', (websiteId: number) => {
  void answerTo(websiteId).then((answer) => port.postMessage(answer));
});

async function answerTo(websiteId: number): Promise<LiveAnswer> {
  try {
    websites ??= opened();
    return { numbers: await (await websites).look(websiteId, patienceMs) };
  } catch (error) {
    if (error instanceof Problem) return { problem: partsOf(error) };
    return { failure: (error as Error).stack ?? String(error) };
  }
}

async function opened(): Promise<LiveWebsites> {
  try {
    return new LiveWebsites(await databaseOfThread(address, []), new DayClock(timezone));
  } catch (error) {
    websites = undefined;
    throw error;
  }
}
