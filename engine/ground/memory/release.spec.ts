import { setTimeout as delay } from 'node:timers/promises';
import { release } from './release';

const MIB = 1024 * 1024;

it('frees the memory of a large list at once, with all views of it', async () => {
  // The port of the module is closed after some turns of the event loop.
  await delay(100);
  const before = process.memoryUsage().arrayBuffers;
  for (let turn = 0; turn < 64; turn++) {
    const list = new Uint32Array(MIB).fill(turn);
    const end = list.subarray(MIB / 2);
    release(end);
    expect([list.length, end.length]).toEqual([0, 0]);
    release(list);
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MIB);
});

it('leaves a small list, whose buffer may have other values', () => {
  const pool = Buffer.alloc(64 * 1024, 1);
  release(pool.subarray(0, 8));
  expect(pool.at(-1)).toBe(1);
});
