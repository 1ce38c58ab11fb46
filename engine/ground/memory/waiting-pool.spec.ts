import { WaitingPool } from './waiting-pool';

const goOn = () => Promise.resolve(true);

function held() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { end, work: () => ended };
}

it('is for as many days at once as fit, and the others wait in turn', async () => {
  const memory = new WaitingPool('sealing', 2);
  const [first, second] = [held(), held()];
  const order: string[] = [];
  const days = [first, second].map(({ work }) => memory.takeDuring(1, goOn, work));
  const large = memory.takeDuring(2, goOn, () => Promise.resolve(order.push('large')));
  const small = memory.takeDuring(1, goOn, () => Promise.resolve(order.push('small')));
  first.end();
  await days[0];
  expect(order).toEqual([]);
  second.end();
  await Promise.all([...days, large, small]);
  expect(order).toEqual(['large', 'small']);
});

it('is taken instead by work that needs more, once the other day has ended', async () => {
  const memory = new WaitingPool('sealing', 2);
  const other = held();
  const day = memory.takeDuring(1, goOn, other.work);
  let isLarge = false;
  const grown = memory.takeDuring(1, goOn, () =>
    memory.replaceDuring(1, 2, goOn, () => Promise.resolve((isLarge = true))),
  );
  await Promise.resolve();
  expect(isLarge).toBe(false);
  other.end();
  await Promise.all([day, grown]);
  expect(isLarge).toBe(true);
  expect(await memory.takeDuring(2, goOn, () => Promise.resolve('free'))).toBe('free');
});

it('is not waited for by work that is to end, which keeps no place', async () => {
  const memory = new WaitingPool('sealing', 1);
  const first = held();
  const day = memory.takeDuring(1, goOn, first.work);
  const stop = () => Promise.resolve(false);
  expect(await memory.takeDuring(1, stop, () => Promise.resolve('done'))).toBeUndefined();
  first.end();
  await day;
  expect(await memory.takeDuring(1, goOn, () => Promise.resolve('done'))).toBe('done');
});

it('gives work that needs more than all of it all of it', async () => {
  expect(await new WaitingPool('sealing', 1).takeDuring(5, goOn, () => Promise.resolve('done'))).toBe('done');
});

it('goes on at once after work that fails, and keeps nothing of it', async () => {
  const pool = new WaitingPool('sealing', 1);
  await expect(pool.takeDuring(1, goOn, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const first = held();
  const done = pool.takeDuring(1, goOn, first.work);
  const began = performance.now();
  const second = pool.takeDuring(1, goOn, () => Promise.resolve(performance.now() - began));
  first.end();
  await done;
  expect(await second).toBeLessThan(25);
});
