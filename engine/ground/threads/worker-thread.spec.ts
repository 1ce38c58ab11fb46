import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../test/support/until';
import { logBy } from '../log';
import { WorkerThread } from './worker-thread';

const folder = mkdtempSync(join(tmpdir(), 'milepost-threads-'));
let logged: unknown[][];
let messages: unknown[];
let thread: WorkerThread;

beforeEach(() => {
  logged = [];
  messages = [];
  logBy((_, context, ...parts) => void logged.push([...parts, context]));
});
afterEach(async () => {
  jest.useRealTimers();
  await thread.stop();
});
afterAll(() => {
  logBy(() => undefined);
  rmSync(folder, { recursive: true });
});

function start(source: string, options = {}): void {
  const file = join(folder, 'worker.js');
  writeFileSync(file, `const { parentPort } = require('node:worker_threads');\n${source}`);
  thread = new WorkerThread('The thread', file, {
    onMessage: (message) => messages.push(message),
    beforeRestartMs: 20,
    ...options,
  });
  thread.start();
}

it('gives messages to the thread and takes those that come back', async () => {
  start(
    `parentPort.on('message', (message) => message === 'stop' ? process.exit(0) : parentPort.postMessage(message + 1))`,
  );
  thread.post(1);
  await until(() => messages.length > 0);
  expect(messages).toEqual([2]);
});

it('logs messages of the thread with the logger of the process', async () => {
  start(`parentPort.postMessage({ log: 'warn', context: 'Context', parts: ['text', { more: 1 }] });
    parentPort.on('message', () => process.exit(0))`);
  await until(() => logged.length > 0);
  expect(logged).toEqual([['text', { more: 1 }, 'Context']]);
  expect(messages).toEqual([]);
});

it('starts a thread again that fails, and logs the code of the error without its text', async () => {
  start(`parentPort.postMessage('here');
    parentPort.once('message', () => { throw Object.assign(new Error('secret'), { code: 'E_BROKEN' }); })`);
  for (let round = 1; round <= 3; round++) {
    await until(() => messages.length === round);
    thread.post('fail');
  }
  await until(() => messages.length === 4);
  expect(logged.slice(0, 2)).toEqual([
    ['The thread failed', { cause: 'E_BROKEN' }, 'Threads'],
    ['The thread ended and is being restarted', 'Threads'],
  ]);
  expect(JSON.stringify(logged)).not.toContain('secret');
});

it('does not start a thread again that was told to stop', async () => {
  start(`parentPort.postMessage('here'); parentPort.on('message', () => process.exit(0))`);
  await until(() => messages.length === 1);
  await thread.stop();
  expect([messages, logged]).toEqual([['here'], []]);
});

it('does not start a thread again that failed before it was told to stop', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  start(`process.exit(1)`);
  const restart = jest.spyOn(thread, 'start');
  while (logged.length === 0) await new Promise(setImmediate);
  await thread.stop();
  jest.advanceTimersByTime(1000);
  expect(restart).not.toHaveBeenCalled();
});

it('ends a thread that does not stop by itself', async () => {
  start(`parentPort.on('message', () => undefined); parentPort.postMessage('here')`, { stopTimeoutMs: 1 });
  await until(() => messages.length === 1);
  await thread.stop();
  expect(messages).toEqual(['here']);
});

/** Makes 100 MB of garbage, and posts how often the whole heap was collected. */
const WASTEFUL = `
  const { constants, PerformanceObserver } = require('node:perf_hooks');
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  }).observe({ entryTypes: ['gc'] });
  let garbage;
  const waste = (round) => {
    garbage = Array.from({ length: 5 }, () => new Uint8Array(1e6));
    garbage.push(Array.from({ length: 50_000 }, (_, index) => [index]));
    if (round > 0) setImmediate(waste, round - 1);
    else setTimeout(() => parentPort.postMessage(collections), 50);
  };
  waste(20);
  parentPort.on('message', () => process.exit(0));`;

it('collects the whole heap of a thread less often where garbage may wait', async () => {
  const limits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 };
  for (const collectedFromMb of [0, 128]) {
    start(WASTEFUL, { limits: { ...limits, collectedFromMb } });
    await until(() => messages.length === (collectedFromMb > 0 ? 2 : 1));
    await thread.stop();
  }
  const [often, seldom] = messages as [number, number];
  expect(seldom).toBeLessThan(often / 2);
});
