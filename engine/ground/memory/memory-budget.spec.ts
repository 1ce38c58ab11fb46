import { readFileSync } from 'node:fs';
import { poolsInMebibytes } from './memory-limits';
import { MemoryBudget, partFor, quarters } from './memory-budget';
import { Overloaded, TooManyRequests } from '../errors';

describe('a budget that lets an owner take a part', () => {
  const budget = () => new MemoryBudget(partFor(64, 3 / 4));

  it('refuses memory beyond the limit of an owner', () => {
    const memory = budget();
    const first = memory.reserve(1, 40);
    expect(() => memory.reserve(1, 20)).toThrow(TooManyRequests);
    first.release();
    memory.reserve(1, 20);
  });

  it('refuses memory beyond the common limit', () => {
    const memory = budget();
    const first = memory.reserve(1, 40);
    expect(() => memory.reserve(2, 30)).toThrow(Overloaded);
    first.release();
    memory.reserve(2, 30);
  });

  it('never refuses work that runs alone, however large it is', () => {
    expect(() => budget().reserve(1, 1000)).not.toThrow();
  });
});

describe('a budget that lets each owner take a quarter of what the others leave', () => {
  it('refuses one that is too large, alone or not', () => {
    const memory = new MemoryBudget(quarters(64));
    expect(() => memory.take(1, 17)).toThrow(TooManyRequests);
    memory.take(1, 16);
    expect(() => memory.take(1, 1)).toThrow(TooManyRequests);
    expect(() => memory.take(2, 13)).toThrow(Overloaded);
    memory.take(2, 12);
    memory.giveBack(1, 16);
    memory.take(2, 4);
  });
});

it('has the pools that docs/deployment.md adds up', () => {
  const rows = readFileSync('docs/deployment.md', 'utf8').matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm);
  const documented = Array.from(rows, ([, name, mebibytes]) => [name, Number(mebibytes)]);
  expect(documented).toEqual(Object.entries(poolsInMebibytes()));
});
