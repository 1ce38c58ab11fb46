import { Logger } from '@nestjs/common';
import { exitCodeOf } from './exit-code';

const logged: string[] = [];
const ignore = () => undefined;
beforeAll(() => {
  Logger.overrideLogger({ log: ignore, warn: ignore, error: (text: string) => void logged.push(text) });
});
beforeEach(() => void (logged.length = 0));

it('is 0 once everything has ended', async () => {
  expect(await exitCodeOf(Promise.resolve(), 1000)).toBe(0);
  expect(logged).toEqual([]);
});

it('is 1 if the time is up, which is logged', async () => {
  expect(await exitCodeOf(new Promise(() => undefined), 20)).toBe(1);
  expect(logged).toEqual(['shutdown did not finish within 0.02 seconds; remaining work was dropped']);
});

it('is 1 if ending fails, which is logged', async () => {
  expect(await exitCodeOf(Promise.reject(new Error('the disk is full')), 1000)).toBe(1);
  expect(logged).toEqual(['the disk is full']);
});
