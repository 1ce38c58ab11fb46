import { KeyedMutex, Mutex, Semaphore } from './mutex';

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

it('gives as many places as there are, and then the next one that is left', async () => {
  const places = new Semaphore(2);
  const taken: string[] = [];
  const take = (name: string) =>
    places.take().then((leave) => {
      taken.push(name);
      return leave;
    });
  const [leaveA, leaveB] = [await take('a'), await take('b')];
  const [c, d] = [take('c'), take('d')];
  await new Promise(setImmediate);
  expect(taken).toEqual(['a', 'b']);
  leaveB();
  const leaveC = await c;
  expect(taken).toEqual(['a', 'b', 'c']);
  leaveA();
  leaveC();
  (await d)();
  await take('e');
  await take('f');
  expect(taken).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
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
