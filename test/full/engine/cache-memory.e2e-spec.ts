import { DayClock } from '../../../engine/ground/time/day-clock';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bytesFor, setCacheBudget } from '../../../engine/ground/memory/memory-limits';
import { WebsiteCounters } from '../../../engine/columns/fold/website-counters';
import type { Hit } from '../../../engine/hits/hit';
import { CountingProcess, pageView } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { size } from '../../support/sizes';

const WEBSITES = Array.from({ length: 20 }, (_, index) => 6001 + index);
const ROUNDS = size('FOLDER_ROUNDS', 2, 12);
/** Megabytes of all caches. Counters have a share. */
const BUDGETS_MB = [4, size('FOLDERS_CACHE_MB', 32, 128)];
const VISITORS = 500;
/** The factor by which memory may exceed the accounted bytes. */
const MOST_TIMES = 1.3;
const SLACK_BYTES = 256 * 1024;
/**
 * V8 drops unused code only after several collections, other threads compile, and Node.js lets go of finished work in
 * turns of the event loop. Freed later, all of it would count as memory of folders. This number of collections in
 * a row must free nothing more.
 */
const COLLECTIONS = 10;
const NOTHING_BYTES = 1024;
const PAUSE_MS = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let database: FreshDatabase;
let one: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  for (const id of WEBSITES) await one.register(id);
});
afterEach(() => setCacheBudget(128));
afterAll(async () => {
  await one.stop();
  await database.drop();
});

/** Hits of new visitors, some with a new long page or a new referrer. */
function hitsOf(round: number): Hit[] {
  return Array.from({ length: VISITORS }, (_, index) => {
    const one = `${round}-${index}-${randomBytes(4).toString('hex')}`;
    return {
      ...pageView(index % 5 === 0 ? `/a/rather/long/path/of/the/website/${one}` : '/', 'a'),
      visitor: randomBytes(8).toString('base64url'),
      referrer: index % 10 === 0 ? `${one}.example` : null,
      properties: [[`name${index % 150}`, 'x']],
    };
  });
}

async function heldBytes(): Promise<number> {
  let held = Infinity;
  for (let times = 0; times < COLLECTIONS; times++) {
    collect();
    await sleep(PAUSE_MS);
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external < held - NOTHING_BYTES) times = 0;
    held = Math.min(held, heapUsed + external);
  }
  return held;
}

describe.each(BUDGETS_MB)('with CACHE_MB=%i', (cacheMb) => {
  it(`folders that go on growing hold at most ${MOST_TIMES} times what is accounted for`, async () => {
    setCacheBudget(cacheMb);
    const folders = new WebsiteCounters(one.database, new DayClock('UTC'));
    await one.endLeases();
    for (let round = 0; round < ROUNDS; round++)
      for (const id of WEBSITES) {
        await one.accept(id, ...hitsOf(round));
        await folders.run(id, async (folder) => {
          while ((await folder.foldSome()) > 0);
          await folder.mergeBatches();
        });
        expect(folders.bytes).toBeLessThanOrEqual(bytesFor('counters'));
      }
    const accounted = folders.bytes;
    const held = await heldBytes();
    await folders.release();
    const freed = held - (await heldBytes());
    expect(accounted).toBeGreaterThan(bytesFor('counters') / 4);
    expect(freed).toBeLessThan(MOST_TIMES * accounted + SLACK_BYTES);
  });
});
