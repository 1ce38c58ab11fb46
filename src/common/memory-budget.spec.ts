import { MemoryBudget } from './memory-budget';
import { Overloaded, TooManyRequests } from './problem';

const budget = () => new MemoryBudget({ bytes: 64, bytesOfOwner: 48 });

it('refuses memory of an owner beyond what one may take', () => {
  const memory = budget();
  const first = memory.reserve(1, 40);
  expect(() => memory.reserve(1, 20)).toThrow(TooManyRequests);
  first.release();
  memory.reserve(1, 20);
});

it('refuses memory beyond what all may take together', () => {
  const memory = budget();
  const first = memory.reserve(1, 40);
  expect(() => memory.reserve(2, 30)).toThrow(Overloaded);
  first.release();
  memory.reserve(2, 30);
});

it('never refuses what is alone, however large it is', () => {
  expect(() => budget().reserve(1, 1000)).not.toThrow();
});
