import { setTimeout as sleep } from 'node:timers/promises';
import { TimeoutError, withTimeout, withTimeoutOrRelease } from './timeout';

const later = (milliseconds: number, name: string) => sleep(milliseconds, name);

it('gives back what comes too late, and nothing else', async () => {
  const back: string[] = [];
  const giveBack = (late: string) => back.push(late);
  await expect(withTimeoutOrRelease(100, later(10, 'in time'), giveBack)).resolves.toBe('in time');
  await expect(withTimeoutOrRelease(10, later(60, 'late'), giveBack)).rejects.toThrow(TimeoutError);
  expect(back).toEqual([]);
  await sleep(100);
  expect(back).toEqual(['late']);
});

it('has nothing to give back of what failed', async () => {
  const back: string[] = [];
  const failing = sleep(20).then(() => Promise.reject<string>(new Error('no')));
  await expect(withTimeoutOrRelease(10, failing, (late) => back.push(late))).rejects.toThrow(TimeoutError);
  await sleep(50);
  expect(back).toEqual([]);
});

it('ends at once, without a warning of Node.js, where the time is up already', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  await expect(withTimeout(-9, later(100, 'late'))).rejects.toThrow(TimeoutError);
  await sleep(10);
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});
