import { PeakMemory } from './peak-memory';

it('takes as much as the largest step needs, beyond what is free', () => {
  let taken = 0;
  const memory = new PeakMemory((bytes) => void (taken += bytes), 10);
  for (const bytes of [8, 10, 30, 20, 30]) memory.reserve(bytes);
  expect(taken).toBe(20);
  memory.retain(5);
  memory.reserve(30);
  expect(taken).toBe(25);
  memory.begin();
  memory.reserve(35);
  expect(taken).toBe(25);
});

it('counts nothing that was refused as taken', () => {
  let isFull = true;
  let taken = 0;
  const memory = new PeakMemory((bytes) => {
    if (isFull) throw new Error('full');
    taken += bytes;
  });
  expect(() => memory.reserve(10)).toThrow('full');
  isFull = false;
  memory.reserve(10);
  expect(taken).toBe(10);
});
