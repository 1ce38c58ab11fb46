import { setTimeout as sleep } from 'node:timers/promises';
import { LargeDays } from './large-days';

const pause = () => Promise.resolve();

it('are counted by one query after the other, each of any number of days', async () => {
  const days = new LargeDays();
  const [first, second] = [{}, {}];
  const begun: string[] = [];
  await days.begin(first, pause);
  const waiting = days.begin(second, pause).then(() => begun.push('second'));
  await days.begin(first, pause);
  await sleep(20);
  expect(begun).toEqual([]);
  days.end(second);
  await sleep(20);
  expect(begun).toEqual([]);
  days.end(first);
  await waiting;
  expect(begun).toEqual(['second']);
});

it('are not waited for after a deadline, nor by a caller who has left', async () => {
  const days = new LargeDays();
  const first = {};
  await days.begin(first, pause);
  const late = () => Promise.reject(new Error('too late'));
  await expect(days.begin({}, late)).rejects.toThrow('too late');
  days.end(first);
  await days.begin({}, pause);
});
