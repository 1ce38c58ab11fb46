import { bytesOfPool } from './memory-limits';
import { Overloaded, TooManyRequests } from '../errors';
import { ReadMemory } from './read-memory';

const POOL = bytesOfPool('reads');
let now = 0;
beforeEach(() => jest.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => jest.restoreAllMocks());

async function* pieces() {
  for (let piece = 0; ; piece++) yield await Promise.resolve(piece);
}

it('lets a read end that nobody reads, once another one needs its memory', async () => {
  const memory = new ReadMemory();
  const slow = memory.reserve({ owner: 1 }, POOL);
  const offered = slow.offer(pieces());
  await offered.next();
  now += 24_999;
  expect(() => memory.reserve({ owner: 2 }, 1)).toThrow(Overloaded);
  now += 1;
  const other = memory.reserve({ owner: 2 }, POOL / 2);
  expect(slow.signal.aborted).toBe(true);
  await expect(offered.next()).rejects.toMatchObject({ code: 'overloaded' });
  slow.release();
  expect(() => memory.reserve({ owner: 3 }, POOL / 2 + 1)).toThrow(Overloaded);
  memory.reserve({ owner: 3 }, POOL / 2).release();
  other.release();
});

it('ends no read that makes its pieces slowly, and none for one who has too many', async () => {
  const memory = new ReadMemory();
  const slow = memory.reserve({ owner: 1 }, POOL);
  const offered = slow.offer(pieces());
  await offered.next();
  now += 15_000;
  await offered.next();
  now += 20_000;
  expect(() => memory.reserve({ owner: 2 }, 1)).toThrow(Overloaded);
  now += 5000;
  expect(() => memory.reserve({ owner: 1 }, 1)).toThrow(TooManyRequests);
  expect(slow.signal.aborted).toBe(false);
});

it('ends no read where that makes too little room', async () => {
  const memory = new ReadMemory();
  const slow = memory.reserve({ owner: 1 }, POOL / 100);
  await slow.offer(pieces()).next();
  const other = memory.reserve({ owner: 2 }, 0.74 * POOL);
  now += 60_000;
  expect(() => memory.reserve({ owner: 3 }, POOL / 2)).toThrow(Overloaded);
  expect(slow.signal.aborted).toBe(false);
  other.release();
  memory.reserve({ owner: 3 }, POOL);
  expect(slow.signal.aborted).toBe(true);
});
