import { Overloaded, TooManyRequests } from '../common/problem';
import type { Database } from './database';
import { ReadGate } from './read-gate';

const MIB = 1024 * 1024;
const gate = () => new ReadGate({ dialect: { oneConnection: false } } as Database);

it('refuses memory of an owner beyond what one may take', () => {
  const reads = gate();
  const first = reads.reserve({ owner: 1 }, 40 * MIB);
  expect(() => reads.reserve({ owner: 1 }, 20 * MIB)).toThrow(TooManyRequests);
  first.release();
  reads.reserve({ owner: 1 }, 20 * MIB);
});

it('refuses memory beyond what all may take together', () => {
  const reads = gate();
  const first = reads.reserve({ owner: 1 }, 40 * MIB);
  expect(() => reads.reserve({ owner: 2 }, 30 * MIB)).toThrow(Overloaded);
  first.release();
  reads.reserve({ owner: 2 }, 30 * MIB);
});

it('never refuses a read that is alone, however large it is', () => {
  const reads = gate();
  expect(() => reads.reserve({ owner: 1 }, 1000 * MIB)).not.toThrow();
});
