import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../test/support/until';
import * as builtFiles from '../ground/threads/built-file';
import type { Database } from '../database/database';
import { BackgroundCounting } from './background-counting';
import type { CountingService } from './counting.service';
import { type HitSettings } from '../database/hit-settings';

/** Warns of the settings that it gets, and ends at a nudge. */
const THREAD = `const { parentPort, workerData } = require('node:worker_threads');
  parentPort.postMessage({ warnings: [{ code: 'counting_fails', detail: workerData.timezone }] });
  parentPort.on('message', () => process.exit(1));`;

const folder = mkdtempSync(join(tmpdir(), 'milepost-counting-'));
afterAll(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('gives the thread the settings of the process, and warns of nothing once it has ended', async () => {
  const file = join(folder, 'thread.js');
  writeFileSync(file, THREAD);
  jest.spyOn(builtFiles, 'builtFile').mockReturnValue(file);
  const onServer = { dialect: { oneConnection: false } } as Database;
  const counting = new BackgroundCounting(
    onServer,
    {} as CountingService,
    { timezone: 'Asia/Tokyo' } as HitSettings,
  );
  counting.start({ mayUseThread: true });
  await until(() => counting.warnings().length > 0);
  expect(counting.warnings()).toEqual([{ code: 'counting_fails', detail: 'Asia/Tokyo' }]);
  counting.nudge();
  await until(() => counting.warnings().length === 0);
  await counting.stop();
});
