import { KeyedMutex, Mutex } from './mutex';

it('runs work one after the other, whether it succeeds or not', async () => {
  const turns = new Mutex();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise(setImmediate);
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => turns.run(work(name))));
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('runs work of one key in its order, beside that of other keys', async () => {
  const turns = new KeyedMutex<number>();
  const log: string[] = [];
  const work = (key: number, name: string) =>
    turns.run(key, async () => {
      log.push(`${name} begins`);
      await new Promise(setImmediate);
      log.push(`${name} ends`);
      if (name === 'a') throw new Error('a failed');
    });
  await Promise.allSettled([work(1, 'a'), work(1, 'b'), work(2, 'c')]);
  await work(1, 'd');
  expect(log.filter((line) => line.endsWith('begins'))).toEqual([
    'a begins',
    'c begins',
    'b begins',
    'd begins',
  ]);
});
